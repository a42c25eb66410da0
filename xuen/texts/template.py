"""What the check of command templates says."""

from __future__ import annotations

from xuen.texts import Text

# Mends that several messages share.
QUOTE_IT = Text('write it in double quotes: "$prompt"', '请写在双引号里："$prompt"')
OWN_ARGUMENT = Text(
    'give it to the agent as an argument of its own, "$prompt", or as a file, < $prompt_file',
    '请把它作为独立参数 "$prompt" 或文件 < $prompt_file 交给 agent',
)
PUT_IN_SCRIPT = Text('put it into a script that gets "$prompt_file"', '请把它写进脚本，并把 "$prompt_file" 交给脚本')
OTHER_NAME = Text("use another variable name", "请换一个变量名")
PLAIN_POSIX = Text(
    "write it in plain POSIX shell, or move it into a script file", "请用标准 POSIX 写法，或移到脚本文件里"
)

# Where the placeholder stands.
MISSING = Text("the command has neither $prompt nor $prompt_file in it", "命令里没有 $prompt 也没有 $prompt_file")
MISSING_MEND = Text(
    'add "$prompt" or < $prompt_file where the agent takes its prompt',
    '请在 agent 接收提示词的位置加上 "$prompt" 或 < $prompt_file',
)
SINGLE_QUOTES = Text("in single quotes the shell does not replace the placeholder", "单引号里的占位符不会被 shell 替换")
QUOTED_HEREDOC = Text(
    "the here-document's delimiter is quoted, so the shell does not replace the placeholder in it",
    "here-document 的结束标记带引号，其中的占位符不会被 shell 替换",
)
QUOTED_HEREDOC_MEND = Text(
    "take the quotes off the delimiter, or pass < $prompt_file", "请去掉结束标记的引号，或改用 < $prompt_file"
)
HEREDOC_DELIMITER = Text(
    "a here-document's delimiter must be plain text: shells differ in how they read this one",
    "here-document 的结束标记必须是普通文字：不同 shell 对这种写法理解不同",
)
PLAIN_DELIMITER = Text("use a plain word such as END", "请用普通单词，例如 END")
COMMENT = Text("the placeholder stands in a comment", "占位符写在注释里")
COMMENT_MEND = Text("take it out of the comment", "请把它移出注释")
BACKQUOTES = Text("the placeholder stands in back-quotes", "占位符写在反引号里")
BACKQUOTES_MEND = Text('write "$( … )" with "$prompt" in it', '请改写成 "$( … )"，里面用 "$prompt"')
ARITHMETIC = Text(
    "the prompt stands in arithmetic, where some shells run what it says",
    "提示词出现在算术表达式里，有的 shell 会执行其内容",
)
ARITHMETIC_MEND = Text("take it out of $(( ))", "请把它移出 $(( ))")
OPERATOR = Text(
    "the placeholder stands in a ${ } with an operator, which may change it",
    "占位符出现在带运算符的 ${ } 里，内容可能被改动",
)
OPERATOR_MEND = Text('write "$prompt" alone', '请单独写 "$prompt"')
COMMAND_NAME = Text("the prompt would be the name of a command", "提示词会被当成命令名")
RESERVED = Text("the template sets, exports or removes ${name}", "模板对 ${name} 做了赋值、导出或删除")
IN_VARIABLE = Text("the prompt would be the value of {name}", "提示词会成为 {name} 的值")
IN_LIST = Text("the prompt stands in the words of `{name}`", "提示词出现在 `{name}` 的词里")
IN_FUNCTION = Text("a function of the template would get the prompt", "模板里的函数会得到提示词")
NO_READER = Text("no command reads the prompt here", "这里没有命令读取提示词")
UNQUOTED = Text(
    "what may hold the prompt stands outside double quotes, so the shell would split it into words",
    "可能含有提示词的内容没有加双引号，shell 会把它拆成多个词",
)
UNQUOTED_MEND = Text("put it in double quotes", "请加上双引号")
TARGET = Text("the prompt would name a file, or its file would be written", "提示词会成为文件名，或者它的文件会被写入")
PATH_TARGET = Text(
    "read < $prompt_file, and write to a file of your own", "读取请用 < $prompt_file，写入请用自己的文件"
)

# What differs between shells.
NUL = Text("the command holds a character that no shell can be given", "命令里有无法交给 shell 的字符")
NUL_MEND = Text("remove it", "请删除它")
TOO_LONG = Text("the command itself is too long for one argument of /bin/sh", "命令本身太长，放不进 /bin/sh 的一个参数")
NESTED_TOO_DEEPLY = Text("the command is nested too deeply to be checked", "命令嵌套过深，无法检查")
DIALECT = Text("{form} does not mean the same in every shell", "{form} 在不同 shell 里含义不同")
CONTINUATION = Text(
    "a backslash at the line's end splits a word here, which shells read differently",
    "行尾的反斜杠把一个词拆开了，不同 shell 对此理解不同",
)
CONTINUATION_MEND = Text("break the line at a blank", "请在空格处换行")
FINAL_BACKSLASH = Text("the command ends in a backslash", "命令以反斜杠结尾")
FINAL_BACKSLASH_MEND = Text("remove the backslash", "请去掉这个反斜杠")
UNTERMINATED = Text("{form} is opened here and never closed", "这里的 {form} 没有结束")
CLOSE_IT = Text("close it", "请补上结束符")
NESTED_QUOTES = Text(
    "quotes within ${ } here are read differently by different shells", "${ } 里的引号在不同 shell 里理解不同"
)
NESTED_LINES = Text(
    "a line ends here between a here-document's << and its body", "在 here-document 的 << 与正文之间出现了换行"
)
NESTED_LINES_MEND = Text("keep the rest of that line on one line", "请把这一行余下的部分写在同一行")
UNREADABLE = Text("the shell grammar is not clear here", "这里的 shell 语法不明确")
ENDED = Text("the command ends where {form} was expected", "命令在应出现 {form} 的地方结束了")
SHELL_REFUSES = Text("/bin/sh does not accept the command: {said}", "/bin/sh 不接受这条命令：{said}")
SHELL_REFUSES_MEND = Text("correct the command's syntax", "请修正命令的语法")
NO_SHELL = Text("/bin/sh could not be asked about the command: {said}", "无法用 /bin/sh 检查这条命令：{said}")
NO_SHELL_MEND = Text("make sure that /bin/sh is there and works", "请确认 /bin/sh 存在且可用")
ECHO = Text("echo changes backslashes in the prompt in some shells", "有的 shell 里 echo 会改动提示词中的反斜杠")
ECHO_MEND = Text("""write printf '%s\\n' "$prompt\"""", """请改写成 printf '%s\\n' "$prompt\"""")
PRINTF = Text("printf would not hand the prompt over unchanged", "printf 不会原样传递提示词")
PRINTF_MEND = Text(
    """use a literal format whose only conversion is %s: printf '%s\\n' "$prompt\"""",
    """请用只含 %s 的固定格式：printf '%s\\n' "$prompt\"""",
)

# What reads code again.
CODE = Text("{name} does not take the prompt as plain data", "{name} 不会把提示词只当作数据")
SCRIPT = Text(
    "{name} would run a file that may hold the prompt, as the template writes the prompt to a file",
    "{name} 会运行一个可能含有提示词的文件，因为模板把提示词写进了文件",
)
SCRIPT_MEND = Text(
    "name the script in plain text, by a name that stands nowhere else in the template, or write no file",
    "请用纯文字写出脚本名，且该名称不在模板别处出现；或者不要写文件",
)
UNKNOWN_NAME = Text(
    "what is run with the prompt here is only known when the template runs, and may be a shell",
    "这里带着提示词运行的是什么，要到运行时才知道，可能是 shell",
)
UNKNOWN_NAME_MEND = Text("write the command's name in plain text", "请用纯文字写出命令名")

# How long a prompt may be.
PROMPT_TOO_LONG = Text(
    "the prompt does not fit into one argument of a command: {size} bytes, at most {limit} are possible",
    "提示词放不进命令的一个参数：{size} 字节，上限 {limit} 字节",
)
PROMPT_TOO_LONG_MEND = Text(
    "use $prompt_file in the command, which has no limit (agent < $prompt_file), or lower prompt.max_state_chars",
    "请在命令里改用没有长度限制的 $prompt_file（agent < $prompt_file），或调低 prompt.max_state_chars",
)
