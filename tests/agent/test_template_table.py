"""Every row of the contract's table of placeholders, with the right answer for each form."""

from __future__ import annotations

import pytest

from xuen.agent.shell_agent import PROMPT_FILE_PREFIX
from xuen.agent.template import check_with_shell, parse
from xuen.errors import TemplateError
from xuen.texts import Text
from xuen.texts import template as texts

ACCEPTED = {
    # inside double quotes: as it is
    'agent "$prompt"': 'agent "$prompt"',
    'agent "before ${prompt} after"': 'agent "before ${prompt} after"',
    'agent --file "$prompt_file"': 'agent --file "$prompt_file"',
    'agent "$prompt" "${prompt_file}"': 'agent "$prompt" "${prompt_file}"',
    # a bare word or part of one: quoted
    "agent $prompt": 'agent "$prompt"',
    "agent --text=$prompt": 'agent --text="$prompt"',
    "agent ${prompt}": 'agent "${prompt}"',
    "agent a$prompt-b": 'agent a"$prompt"-b',
    "agent < $prompt_file": 'agent < "$prompt_file"',
    "agent <$prompt_file": 'agent <"$prompt_file"',
    "agent \"a\"'b'$prompt": 'agent "a"\'b\'"$prompt"',
    'text=$prompt; agent "$text"': 'text="$prompt"; agent "$text"',
    'for p in $prompt; do agent "$p"; done': 'for p in "$prompt"; do agent "$p"; done',
    # … and no file-name pattern
    "agent *$prompt?": 'agent "*""$prompt""?"',
    "agent --tags=[$prompt] *.md": 'agent --tags="[""$prompt"] *.md',
    'case x in *"$prompt"*) agent "$prompt" ;; esac': 'case x in *"$prompt"*) agent "$prompt" ;; esac',
    # single quotes holding only it
    "agent '$prompt'": 'agent "$prompt"',
    "agent '${prompt_file}'": 'agent "${prompt_file}"',
    "agent --text='$prompt'": 'agent --text="$prompt"',
    # inside $( … ), nested to any depth
    'agent "$(cat $prompt_file)"': 'agent "$(cat "$prompt_file")"',
    'agent "$(printf %s "$(printf %s $prompt)")"': 'agent "$(printf %s "$(printf %s "$prompt")")"',
    # an unquoted here-document's body
    "agent <<END\nDo: $prompt\nEND\n": "agent <<END\nDo: $prompt\nEND\n",
    "agent <<-END\n\tDo: ${prompt}\n\tEND": "agent <<-END\n\tDo: ${prompt}\n\tEND",
    "cat <<A <<B | agent\nnot read\nA\n$prompt\nB\n": "cat <<A <<B | agent\nnot read\nA\n$prompt\nB\n",
    # not the placeholder, beside the placeholder
    "agent \\$prompt $prompts $promptly $prompt_files $prompt": "agent \\$prompt $prompts $promptly $prompt_files "
    '"$prompt"',
    # a name that goes on with a character that some locales count as a letter
    'agent "$prompt字"': 'agent "${prompt}字"',
}

REFUSED: list[tuple[str, int, int, Text]] = [
    # other single quotes, a quoted here-document, a comment, back-quotes
    ("agent 'do $prompt'", 1, 11, texts.SINGLE_QUOTES),
    ("agent <<'END'\n$prompt\nEND\n", 2, 1, texts.QUOTED_HEREDOC),
    ('agent <<"END"\n$prompt\nEND\n', 2, 1, texts.QUOTED_HEREDOC),
    ("agent <<\\END\na $prompt\nEND\n", 2, 3, texts.QUOTED_HEREDOC),
    ("agent <<-'END'\n\t$prompt\n\tEND\n", 2, 2, texts.QUOTED_HEREDOC),
    ("agent <<E'N'D\n$prompt\nEND\n", 2, 1, texts.QUOTED_HEREDOC),
    ("agent # $prompt", 1, 9, texts.COMMENT),
    ("agent `cat $prompt_file`", 1, 12, texts.BACKQUOTES),
    ('agent "`printf %s \\$prompt`"', 1, 20, texts.BACKQUOTES),
    # arithmetic, operators
    ("agent $(( $prompt + 1 ))", 1, 11, texts.ARITHMETIC),
    ("agent $((prompt))", 1, 10, texts.ARITHMETIC),
    ("agent $(( $(printf %s $prompt) ))", 1, 23, texts.ARITHMETIC),
    ('x=$prompt; agent "$((x))" "$prompt"', 1, 19, texts.ARITHMETIC),
    ('agent "${prompt#a}"', 1, 8, texts.OPERATOR),
    ('agent "${#prompt}"', 1, 8, texts.OPERATOR),
    ("agent ${x:-$prompt}", 1, 12, texts.OPERATOR),
    ('agent "${x:-"$prompt"}"', 1, 14, texts.OPERATOR),
    ("agent ${x:-'$prompt'}", 1, 12, texts.OPERATOR),
    ("agent ${prompt_file##*/}", 1, 7, texts.OPERATOR),
    # the name of a command
    ("$prompt", 1, 1, texts.COMMAND_NAME),
    ('X=1 "$prompt" a', 1, 5, texts.COMMAND_NAME),
    ("true && /bin/$prompt", 1, 9, texts.COMMAND_NAME),
    ("env X=1 $prompt", 1, 9, texts.COMMAND_NAME),
    ("timeout 5 $prompt", 1, 11, texts.COMMAND_NAME),
    ("x=$prompt; $x", 1, 12, texts.UNQUOTED),
    ('x=$prompt; "$x"', 1, 12, texts.COMMAND_NAME),
    # the placeholders' variables are xuen's
    ('prompt=x; agent "$prompt"', 1, 1, texts.RESERVED.of(name="prompt")),
    ('export prompt; agent "$prompt"', 1, 8, texts.RESERVED.of(name="prompt")),
    ('unset prompt; agent "$prompt"', 1, 7, texts.RESERVED.of(name="prompt")),
    ('read -r prompt_file; agent "$prompt"', 1, 9, texts.RESERVED.of(name="prompt_file")),
    ('for prompt in a; do agent "$prompt"; done', 1, 1, texts.RESERVED.of(name="prompt")),
    # no placeholder anywhere
    ("agent run", 1, 1, texts.MISSING),
    ("agent \\$prompt", 1, 1, texts.MISSING),
    ("agent $prompts", 1, 1, texts.MISSING),
    ("", 1, 1, texts.MISSING),
    # handed on, but not whole
    ("x=$prompt; agent $x", 1, 18, texts.UNQUOTED),
    ("agent $(cat $prompt_file)", 1, 7, texts.UNQUOTED),
    ("set -- $prompt; agent $1", 1, 23, texts.UNQUOTED),
    ('x=$prompt; agent *"$x"', 1, 18, texts.PATTERN),
    ('echo "$prompt" | agent', 1, 1, texts.ECHO),
    ('printf "$prompt" | agent', 1, 8, texts.PRINTF),
    ('printf "%b" "$prompt" | agent', 1, 8, texts.PRINTF),
    ('agent > "$prompt"', 1, 9, texts.TARGET),
    # a final backslash, an unterminated quote or here-document
    ("agent $prompt \\", 1, 15, texts.FINAL_BACKSLASH),
    ('agent "$prompt', 1, 7, texts.UNTERMINATED.of(form='"')),
    ("agent $prompt 'a", 1, 15, texts.UNTERMINATED.of(form="'")),
    ("agent <<END\n$prompt\n", 1, 7, texts.UNTERMINATED.of(form="<<")),
    ("agent $pro\\\nmpt $prompt", 1, 11, texts.CONTINUATION),
    ('agent <<$"A\\\\B"\n$prompt\nA\n', 1, 7, texts.HEREDOC_DELIMITER),
]

DIALECTS = [
    "agent $'a\\nb' \"$prompt\"",
    'agent $"a" "$prompt"',
    'a=(x y); agent "$prompt"',
    "a=($prompt)",
    'A[$prompt]=1 agent "$prompt"',
    'agent {a,b} "$prompt"',
    "agent {a,$prompt}",
    "agent {1..3} $prompt",
    'agent "$prompt" &> log',
    'agent "$prompt" >& log',
    "agent <<< $prompt",
    'agent "$prompt" |& tee log',
    "agent <(cat $prompt_file)",
    'agent "$prompt" > >(tee log)',
    '[[ -n "$prompt" ]] && agent "$prompt"',
    '[[ $prompt -eq 0 ]] || agent "$prompt"',
    '(( x )) ; agent "$prompt"',
    'for ((i=0;i<3;i++)); do agent "$prompt"; done',
    'function f { agent "$prompt"; }; f',
    'select x in a; do agent "$prompt"; done',
    'time agent "$prompt"',
    'agent "${x^^}" "$prompt"',
    'agent "${x:1:2}" "$prompt"',
    'agent "${x/a/b}" "$prompt"',
    'agent "${!x}" "$prompt"',
    'agent $[1+1] "$prompt"',
    'agent "$((a++))" "$prompt"',
    'agent "$((a);(b))" "$prompt"',
    'agent "$(< $prompt_file)"',
    'set -o pipefail; agent "$prompt" | tee log',
    'source ./env; agent "$prompt"',
    'x+=a; agent "$prompt"',
    'declare x=1; agent "$prompt"',
    'agent 10> log "$prompt"',
    'case x in x) true ;& y) agent "$prompt" ;; esac',
]

CODE = [
    'eval "$prompt"',
    'eval "agent \\$prompt" "$prompt"',
    'trap "$prompt" EXIT',
    "trap '$prompt' EXIT",
    ". $prompt_file",
    'sh -c "$prompt"',
    'sh -c \'agent "$1"\' x "$prompt"',
    'bash -lc "agent $prompt"',
    "sh $prompt_file",
    "/bin/bash < $prompt_file",
    "sh <<END\nagent $prompt\nEND\n",
    'printf %s "$prompt" | sh',
    'printf %s "$prompt" | bash -s',
    "cat $prompt_file | { sh; }",
    "{ sh; } < $prompt_file",
    "exec < $prompt_file; sh",
    'exec sh -c "$prompt"',
    'busybox sh -c "$prompt"',
    'env -S "agent $prompt"',
    'env X=1 bash -c "$prompt"',
    'nohup timeout -k 1 5 dash -c "$prompt"',
    'command eval "$prompt"',
    'sudo -u me zsh -c "$prompt"',
    'su -c "$prompt" me',
    'ssh host "agent $prompt"',
    'find . -exec sh -c "$prompt" {} +',
    'docker run image sh -c "$prompt"',
    'printf %s "$prompt" | xargs -I{} sh -c {}',
    'x=$prompt; eval "$x"',
    'set -- "$prompt"; eval "$1"',
    'f() { eval "$1"; }; f "$prompt"',
    'f() { "$@"; }; f sh -c "$prompt"',
    'while read -r line; do eval "$line"; done < $prompt_file',
    'printf %s "$prompt" > a.sh; sh a.sh',
    "cp $prompt_file a.sh; . ./a.sh",
    'printf %s "$prompt" | while read -r x; do sh -c "$x"; done',
    'f() { sh; }; printf %s "$prompt" | f',
    'S="sh -c"; $S "$prompt"',
    '$SHELL -c "$prompt"',
    '${SHELL:-sh} -c "$prompt"',
    "BASH_ENV=$prompt_file bash run.sh",
    'PS4=$prompt; set -x; agent "$prompt"',
    'python -c "$prompt"',
    "python3.11 - < $prompt_file",
    'perl -ne "$prompt" file',
    'node --eval="$prompt"',
    'awk "$prompt" file',
    'sed "s/x/$prompt/" file',
    'make run TEXT="$prompt"',
    'unset "$prompt"',
    '[ -v "$prompt" ] && agent "$prompt"',
    '[ "$prompt" -eq 0 ] || agent "$prompt"',
    'printf -v x %s "$prompt"',
    'read -r "$prompt"',
    'alias a="$prompt"',
    '$none "$prompt"',
    'env $none "$prompt"',
    'env X$none=1 "$prompt"',
    'env - sh "$prompt_file"',
    'f=a.sh; printf %s "$prompt" > "$f"; sh "$f"',
    'printf %s "$prompt" > "$HOME/a.sh"; sh ./a.sh',
    't=$(mktemp); cat $prompt_file > "$t"; u=$t; . "$u"',
    'exec > a.sh; printf %s "$prompt"; sh a.sh >&2',
    "cp $prompt_file go; ./go",
    'eval "$(cat a)"; printf %s "$prompt" > a',
    "sh /dev/fd/3 3< $prompt_file",
    "sh 0<&3 3< $prompt_file",
    "docker exec -i c bash < $prompt_file",
    "ssh -p 22 host < $prompt_file",
    "su me < $prompt_file",
    "xargs -a $prompt_file agent",
    'f() { eval "$1"; }; c=f; $c "$prompt"',
    'set -- -c "$prompt"; getopts c: o; eval "$OPTARG"',
    'agent "$(eval "$prompt")"',
    'x=`cat a`; cp $prompt_file a; sh -c "$x"',
]

# Attacks on the check: each of these would run the prompt.
HIDDEN = [
    "bash --init-file $prompt_file -i -c true",
    "bash --rcfile $prompt_file -i -c true",
    "bash --rcfile /dev/stdin -i -c true < $prompt_file",
    "bash --norc --rcfile $prompt_file -ic true",
    "timeout 5 bash --init-file $prompt_file -i -c true",
    "cp $prompt_file rc; bash --rcfile rc -i -c true",
    "cat $prompt_file > ~/.bashrc; bash -i -c true",
    '"$(echo eval)" "$prompt"',
    '$(echo eval) "$prompt"',
    '`echo eval` "$prompt"',
    'x=$(echo eval); "$x" "$prompt"',
    'x=ev; y=al; "$x$y" "$prompt"',
    'for x in eval; do "$x" "$prompt"; done',
    ': "${x:=$(echo eval)}"; "$x" "$prompt"',
    '"${x:-$(echo eval)}" "$prompt"',
    'set -- eval; "$@" "$prompt"',
    'set -- eval; "$1" "$prompt"',
    'command "$(echo eval)" "$prompt"',
    'env "$(echo sh)" -c "$prompt"',
    'timeout $(echo 5 sh) x "$prompt"',
    '"$(echo sh)" < $prompt_file',
    'printf %s "$prompt" | "$(echo sh)"',
    '"$HOME/bin/sh" -c "$prompt"',
    'sh "$(echo -c)" "$prompt"',
    'x=-c; sh "$x" "$prompt"',
    'python3 "$(echo -c)" "$prompt"',
    "cat $prompt_file > h8; find h8 -exec sh {} \\;",
    "find . -type f -exec sh {} \\; ; agent $prompt",
    "cat $prompt_file > h8; find . -exec mv {} zz \\; ; sh zz",
    "cat $prompt_file > ha; sh h*",
    "cat $prompt_file > ha; sh ./h?",
    "cat $prompt_file > ha; . ./h*",
    "cat $prompt_file > ha; cat h* | sh",
    "cat $prompt_file > ha; sh < h*",
    "cat $prompt_file > ha; mv h* zz; sh zz",
    'cat $prompt_file > ha; for f in h*; do sh "$f"; done',
    "cat $prompt_file > ha; ls h* | xargs sh",
    "cat $prompt_file > ha; ls | xargs -I@ sh @",
    'cat $prompt_file > ha; sh "$(ls)"',
    "cat $prompt_file > ha; ./h*",
    'cat $prompt_file > "$(echo zz)"; sh zz',
    'a=z; b=z; cat $prompt_file > "$a$b"; sh zz',
    'a=zz; cat $prompt_file > "$a"; sh zz',
    "sort $prompt_file -o s1; sh s1",
    "sort -os1 $prompt_file; sh s1",
    "sort $prompt_file --output=s1; . ./s1",
    "sort $prompt_file -o s1; cat s1 | sh",
    "sort $prompt_file -o s1; sh < s1",
    "sort $prompt_file -o s1; ./s1",
    "curl -o s5 file://$prompt_file; sh s5",
    "curl file://$prompt_file -o s5; python3 s5",
    "wget -O s5 file://$prompt_file; sh s*",
    "uniq $prompt_file s6; sh s6",
    "sed -n 'w zz' $prompt_file; sh zz",
    'awk \'{ print > "z" "z" }\' $prompt_file; sh zz',
    "split $prompt_file zz; sh zzaa",
    "patch < $prompt_file; sh run.sh",
    "sh .x*; agent < $prompt_file",
    "cat $prompt_file > h8; sh -c 'cp h8 zz; sh zz'",
    "cat $prompt_file > h8; bash -c 'cat h8 | sh'",
    "cat $prompt_file > h8; docker exec c sh h8",
    "cat $prompt_file > h8; sed -f h8 x",
    "cat $prompt_file > h8; awk -fh8 x",
    "sort $prompt_file -o s1; sed -f s1 x",
    "cp $prompt_file s1.py; python3 -m s1",
    "cp $prompt_file s1.py; python3 -c 'import s1'",
    "cat $prompt_file > Makefile; make",
    "f() { cat $prompt_file; }; f | sh",
    "f() { cat $prompt_file; }; f > zz; sh zz",
    "f() { cat $prompt_file; }; g() { f; }; g | sh",
    'f() { cat $prompt_file; }; eval "$(f)"',
    'git -c alias.x="!$prompt" x',
    'git submodule foreach "$prompt"',
    'tar --to-command="$prompt" -xf a',
    'rsync -e "$prompt" a b:',
    'npx -c "$prompt"',
    'vim -c "$prompt"',
    'sort --compress-program="$prompt" x',
    "cat .[a-z]* | sh; agent < $prompt_file",
    'sh "$(ls -ta | head -n 1)"; agent < $prompt_file',
    'for f in $(ls -a); do sh "$f"; done; agent < $prompt_file',
    # through standard input, descriptors, the environment, and names that some shells set
    'export X="$prompt"; env | sh',
    'export X="$prompt"; printenv X | sh',
    "exec 3< $prompt_file; cat <&3 | sh",
    'exec 3< $prompt_file; sh -c "$(cat <&3)"',
    'exec 3< $prompt_file; x=$(cat <&3); eval "$x"',
    '{ x=$(cat); } < $prompt_file; eval "$x"',
    'f() { x=$(cat); }; f < $prompt_file; eval "$x"',
    "exec < $prompt_file; cat > h; sh h",
    "f() { cat > h; }; f < $prompt_file; sh h",
    "f() { cat > h; }; cat $prompt_file | f; sh h",
    'ls -a | while read -r f; do sh "$f"; done; agent < $prompt_file',
    "find . -name '.*.txt' | while read -r f; do . \"$f\"; done; agent < $prompt_file",
    'y=prompt; agent $((y)) "$prompt"',
    'x=$prompt; y=x; agent $((y)) "$prompt"',
    "env --sp=sh < $prompt_file",
    "fakeroot bash -s < $prompt_file",
    "docker exec -i c bash -s < $prompt_file",
    "docker exec -i c python3 -u < $prompt_file",
    'python3 -m timeit "$prompt"',
    'sh ${X:--c} "$prompt"',
    '/bin/b?sh -c "$prompt"',
    "/bin/[s]h < $prompt_file",
    "x='sh f'; cp $prompt_file f; $x",
    "x='cat f | sh'; cp $prompt_file f; eval \"$x\"",
    'command() { eval "$2"; }; command agent "$prompt"',
    "python3 -m code < $prompt_file",
    "vim -es < $prompt_file",
    "docker exec -i c bash - < $prompt_file",
    "ssh host bash -s < $prompt_file",
    "ssh host 'bash -s' < $prompt_file",
    "ssh host 'cat > h; sh h' < $prompt_file",
    "find . -maxdepth 0 -exec sh \\; < $prompt_file",
    'x=sh; set -- $x -c "$prompt"; "$@"',
    'set -- "$SHELL" -c "$prompt"; "$@"',
    'x=sh; f() { "$@"; }; f $x -c "$prompt"',
    'f() { "$@"; }; f "$SHELL" -c "$prompt"',
    'p=$prompt; PS4=\'$(eval "$p")\'; set -x; agent "$prompt"',
    ': "$prompt"; eval "$_"',
    'agent "$prompt"; sh -c "$_"',
    '. "$BASH_ARGV"; agent < $prompt_file',
    'eval "$BASH_ARGV"; agent < $prompt_file',
    "sh //dev/stdin < $prompt_file",
    "cd /dev; sh ./stdin < $prompt_file",
    "x=sh; y=$x; $y < $prompt_file",
    "x=${y:-sh}; $x < $prompt_file",
    '$x"sh" < $prompt_file',
    "fakeroot < $prompt_file",
    "sh -c 'cat > h; sh h' < $prompt_file",
    "sh -c 'x=$(cat); eval \"$x\"' < $prompt_file",
    "cat $prompt_file | tee h | sh -c 'sleep 0.2; sh h'",
    "env -i sh < $prompt_file",
    "command -p sh < $prompt_file",
    'tmp=$(mktemp); trap "sh $tmp" EXIT; cat $prompt_file > $tmp; agent < $tmp',
    'x=/bin/sh; trap "$x h" EXIT; cp $prompt_file h',
    'set -- prompt; agent $(($1)) "$prompt"',
    'x=sh; set -- $x -c "$prompt"; timeout 5 "$@"',
    'x=sh; g() { "$@"; }; f() { g "$@"; }; f $x -c "$prompt"',
    'x=sh; f() { exec "$@"; }; f $x -c "$prompt"',
    "{ { sh; } } < $prompt_file",
    "{ exec 3<&0; sh <&3; } < $prompt_file",
    "{ exec 3<&0; cat <&3; } < $prompt_file | sh",
    "exec 4< $prompt_file; cat /dev/fd/4 | sh",
    'x=$(cat /dev/stdin) < $prompt_file; eval "$x"',
    'x() { eval "$(cat)"; }; x < $prompt_file',
    "cat $prompt_file | { head -n 1 > a.sh; sh a.sh; }",
    'f=$(ls -A | head -n 1); cat "$f" | sh; agent < $prompt_file',
    "grep -rh . . | sh; agent < $prompt_file",
    "export P=$prompt; sh -c 'eval \"$(printenv P)\"'",
    "P=$prompt sh -c 'printenv P | sh'",
    "set -a; P=$prompt; env | sh",
    "eval \"$(tr '\\0' '\\n' < /proc/$$/cmdline)\"; agent \"$prompt\"",
    'set | sed -n "s/^prompt=//p" | sh; agent "$prompt"',
    'x=$(set); eval "$x"; agent "$prompt"',
    "docker run --rm -i image sh -c 'cat | sh' < $prompt_file",
]

# These would not hand the prompt over whole, or not alike in every shell.
NOT_WHOLE = [
    'read x < $prompt_file; show "$x"',
    'printf %s "$prompt" | { read -r x; show "$x"; }',
    'while read -r x; do show "$x"; done < $prompt_file',
    'command read -r x < $prompt_file; show "$x"',
    'shift; show "$prompt"',
    'shift 2; show "$prompt"',
    'set -- a; shift; shift; show "$prompt"',
    'shift; set -- a b; show "$prompt"',
    'set -- a; shift "$n"; show "$prompt"',
    'f() { shift; show "$@"; }; f; show "$prompt"',
]

DATA = [
    'set -- a "$prompt"; shift; agent "$@"',
    'f() { shift; agent "$@"; }; f a "$prompt"',
    'set -- a b; while [ "$#" -gt 0 ]; do shift; done; agent "$prompt"',
    'read -r x < settings; agent "$x" "$prompt"',
    '"$HOME/bin/agent" "$prompt"',
    '"$(dirname "$0")/agent" "$prompt"',
    '$AGENT run "$prompt"',
    'AGENT=${AGENT:-claude}; "$AGENT" -p "$prompt"',
    'sh "$SCRIPT" "$prompt"',
    'timeout "$LIMIT" agent "$prompt"',
    ". ./.env; cp $prompt_file copy.txt; agent < copy.txt",
    't=$(mktemp); cat $prompt_file notes > "$t"; sh run.sh "$t"; rm "$t"',
    '. "$VIRTUAL_ENV/bin/activate"; agent -o out.txt "$prompt"; cat out.txt',
    'agent --output-format json "$prompt" | tee log; sh after.sh',
    "cat $prompt_file > in.md; python3 agent.py in.md",
    'python3 -W ignore agent.py "$prompt" && python3 check.py',
    'bash --norc run.sh "$prompt"',
    'git commit -m "$prompt"',
    'npx agent "$prompt"',
    ". /dev/null; agent $prompt > /dev/null",
    "cat $prompt_file > in.md; sh -c 'echo hi'; make test",
    'f() { agent "$1" "$prompt"; }; f a > log; sh after.sh',
    "xargs agent < names; agent < $prompt_file",
    'cat *.md | agent - "$prompt" > log.txt; sh done.sh',
    "awk -v t=\"$prompt\" '{ print t }' file > out; agent < out",
    'cd x && . ./venv/bin/activate && python agent.py "$prompt"',
    'sh run.sh "$prompt"',
    'python -m agent -c "$prompt"',
    "python3 -c 'import agent' \"$prompt\"",
    "awk -v text=\"$prompt\" '{ print text }' file",
    "sed -n 1p $prompt_file | agent",
    'agent `git branch` "$prompt"',
    'eval "$(ssh-agent -s)"; agent "$prompt"',
    'trap \'rm -f "$log"\' EXIT INT; agent "$prompt"',
    'set -- agent "$prompt"; "$@"',
    'f() { agent "$1"; }; f "$prompt"',
    'find . -name "*.md" -exec agent "$prompt" {} +',
    'env LANG=C timeout 5 nice -n 5 agent "$prompt"',
    '"${AGENT:-opencode}" run "$prompt"',
    'if [ -n "$prompt" ]; then agent "$prompt"; else exit 1; fi',
    'case $prompt in *x*) agent a "$prompt" ;; (*) agent "$prompt" ;; esac',
    'set -eu; umask 077; agent "$prompt" 2>&1 | tee -a log',
    "{ printf '%s\\n' \"$prompt\"; cat notes.md; } | agent",
    'x=$(cat <<\'E\'\nuser\'s\nE\n); agent "$prompt" "$x"',
    'x=$(case a in a) echo b ;; esac); agent "$x" "$prompt"',
    'agent "$(date # it\'s a comment )\n)" "$prompt"',
    "cat $prompt_file | agent $(nproc)",
    "find . -name x -exec agent {} \\; < $prompt_file",
    'find . -exec \\; "$prompt"',
    'n=$(nproc); agent -j $((n*2)) "$prompt"',
    'i=0; while [ "$i" -lt 3 ]; do i=$((i+1)); agent "$prompt"; done',
    'retry() { "$@" || "$@"; }; retry agent "$prompt"',
    "ssh host 'claude -p' < $prompt_file",
    'ssh -t me@host "cd $DIR && claude -p" < $prompt_file',
    "ssh host \"bash -lc 'claude -p'\" < $prompt_file",
    "docker exec -i c claude -p < $prompt_file",
    'docker run --rm -i -e KEY="$KEY" image claude -p < $prompt_file',
    "docker run --rm -i image sh -c 'claude -p' < $prompt_file",
    "{ cat notes.md; cat $prompt_file; } | agent $(nproc)",
    "cat $prompt_file | agent --branch $(git branch --show-current)",
    'cat $prompt_file | agent --branch "$(git branch --show-current)"',
    'tmp=$(mktemp); trap "rm -f $tmp" EXIT; cat $prompt_file > $tmp; agent < $tmp',
    'export PATH="$HOME/prompt/bin:$PATH"; agent "$prompt"',
    "uv run agent.py < $prompt_file",
    'uv run python agent.py "$prompt"',
    "bash -e run.sh < $prompt_file",
    'agent --shell bash "$prompt"',
    "su agent -c 'claude -p' < $prompt_file",
    'x=1; y=$((x + 1)); agent -n $y "$prompt"',
    "printf '%s' \"$prompt\" | ssh box claude -p",
    'trap "$x" EXIT; agent "$prompt"',
    'trap "rm -rf \\"$dir\\"" EXIT INT; agent "$prompt"',
    "trap '' INT; agent \"$prompt\"",
    'trap "" INT; agent "$prompt"',
    'trap ":" INT; agent "$prompt"',
    "ssh -i key host -- claude -p < $prompt_file",
    "ssh host sh run.sh < $prompt_file",
    'f() { sleep $(($1 * 2)); agent "$prompt"; }; f 3',
    '{ { agent "$prompt"; } }',
    'if true; then (agent "$prompt") fi',
    'if true; then { agent "$prompt"; } else { agent a; } fi',
]


@pytest.mark.parametrize(("source", "script"), ACCEPTED.items(), ids=list(ACCEPTED))
def test_a_placeholder_that_the_shell_replaces_whole_is_accepted(source: str, script: str) -> None:
    template = parse(source)
    check_with_shell(template)
    assert template.script == script
    assert template.source == source


@pytest.mark.parametrize(("source", "line", "column", "what"), REFUSED, ids=[row[0] for row in REFUSED])
def test_a_refusal_names_the_place_and_the_reason(source: str, line: int, column: int, what: Text) -> None:
    with pytest.raises(TemplateError) as caught:
        parse(source)
    assert (caught.value.what, caught.value.line_number, caught.value.column) == (what, line, column)
    assert caught.value.mend is not None


def test_substitutions_may_be_nested_deeply() -> None:
    deep = parse("agent " + '"$(printf %s ' * 30 + "$prompt" + ')"' * 30)
    check_with_shell(deep)
    assert '%s "$prompt")' in deep.script


@pytest.mark.parametrize("source", DIALECTS)
def test_what_shells_read_differently_is_refused(source: str) -> None:
    with pytest.raises(TemplateError, match="does not mean the same in every shell"):
        parse(source)


@pytest.mark.parametrize("source", CODE)
def test_what_would_read_the_prompt_as_code_is_refused(source: str) -> None:
    with pytest.raises(TemplateError):
        parse(source)


@pytest.mark.parametrize("source", DATA)
def test_ordinary_commands_are_accepted(source: str) -> None:
    check_with_shell(parse(source))


@pytest.mark.parametrize("source", HIDDEN)
def test_no_detour_makes_the_prompt_code(source: str) -> None:
    with pytest.raises(TemplateError):
        parse(source)


@pytest.mark.parametrize("source", NOT_WHOLE)
def test_what_hands_on_a_part_or_differs_between_shells_is_refused(source: str) -> None:
    with pytest.raises(TemplateError):
        parse(source)


def test_the_check_knows_how_the_file_of_the_prompt_is_called() -> None:
    with pytest.raises(TemplateError):
        parse(f"sh {PROMPT_FILE_PREFIX}*.txt; agent < $prompt_file")
