"""What the reading of the configuration says."""

from __future__ import annotations

from xuen.texts import Text

# --- what is expected ----------------------------------------------------------------------------------------------

WHOLE_NUMBER = Text("a whole number", "整数")
NUMBER = Text("a number", "数字")
YES_OR_NO = Text("true or false", "true 或 false")
ONE_OF = Text("one of {choices}", "{choices} 之一")
TEXT = Text("text", "文本")
LIST = Text("a list of texts", "文本列表")
VARIABLES = Text("a mapping of names to texts", "名称到文本的映射")
SECTION = Text("a section with keys under it", "下面带有键的一段")
AT_LEAST = Text("{kind}, {low} or more", "{kind}，不小于 {low}")
BETWEEN = Text("{kind} from {low} to {high}", "{low} 到 {high} 之间的{kind}")
OR = Text("{first}, or {second}", "{first}，或 {second}")

# --- what was found ------------------------------------------------------------------------------------------------

A_LIST = Text("a list", "一个列表")
A_MAPPING = Text("a mapping", "一个映射")
A_TEXT = Text("the text {value}", "文本 {value}")
EXPECTED = Text("expected {expected}, found {found}", "应为{expected}，实际为 {found}")
NOT_PRINTABLE = Text(
    "the text holds a NUL or half of a surrogate pair",
    "文本中含有 NUL 字符或不成对的代理字符",
)

# --- mends ---------------------------------------------------------------------------------------------------------

VALID_KEYS = Text("Valid here: {names}", "此处可用：{names}")
WRITE_DECIMAL = Text("Write it as {value}", "请写成 {value}")
PLAIN_SECONDS = Text("Write seconds as one plain number, such as 630", "请把秒数写成一个普通数字，例如 630")
NO_QUOTES = Text("Write it without quotes", "请去掉引号")
QUOTE_TEXT = Text("Put the whole text in one pair of quotes", "请把整段文本放进一对引号")
WRITE_LIST = Text("Write its words in brackets: [first, second]", "请把各项写在方括号里：[第一项, 第二项]")
INDENT_KEYS = Text("Write its keys indented on the lines below it", "请把它的键缩进写在下面各行")
NO_TABS = Text("Use blanks there, not tabs", "请在该处使用空格，不要用制表符")
SEE_EXAMPLE = Text(
    "config.example.yaml shows every key; xuen init writes it",
    "config.example.yaml 列出了所有键；xuen init 会写出它",
)
REMOVE_ONE = Text("Remove one of the two", "请删去其中一个")
REMOVE_TAG = Text("Remove the tag", "请去掉该标签")
ONE_NAME = Text("A key is one word, such as workspace", "键是一个单词，例如 workspace")
GIVE_VALUE = Text("Give it a value, or leave the option out", "请给出一个值，或去掉这个选项")

# --- what is wrong -------------------------------------------------------------------------------------------------

UNREADABLE = Text("cannot read the configuration file: {reason}", "无法读取配置文件：{reason}")
TOO_LARGE = Text("a configuration file of more than {limit} bytes is not read", "超过 {limit} 字节的配置文件不会被读取")
NOT_UTF8 = Text("the file is not UTF-8", "文件不是 UTF-8 编码")
NOT_YAML = Text("this is not valid YAML: {problem}", "这不是合法的 YAML：{problem}")
TOO_DEEP = Text("the file is nested too deeply", "文件嵌套过深")
ROOT_NOT_MAPPING = Text("the file must hold keys and their values, found {found}", "文件应由键和值组成，实际为 {found}")
UNKNOWN_KEY = Text("unknown key", "未知的键")
DUPLICATE_KEY = Text("this key was given before, in line {line}", "这个键已在第 {line} 行给出")
KEY_NOT_TEXT = Text("a key must be plain text", "键必须是普通文本")
TAG_NOT_ALLOWED = Text("the tag {tag} has no meaning here", "标签 {tag} 在此没有意义")
BAD_MERGE = Text("'<<' must name a mapping that does not hold itself", "“<<” 必须指向一个不包含自身的映射")
BAD_VARIABLE = Text("not a name that an environment variable can have", "不能用作环境变量名")

YAML_PROBLEMS = {
    "found character '\\t' that cannot start any token": Text(
        "a tab where only blanks may stand", "此处只能用空格，却出现了制表符"
    ),
    "mapping values are not allowed here": Text(
        "a colon that no key can have here (is the line indented too far? a text with a colon needs quotes)",
        "此处不应出现冒号（是否缩进过多？含冒号的文本需要加引号）",
    ),
    "could not find expected ':'": Text("a key without its colon", "键后面缺少冒号"),
    "expected ',' or '}', but got '<stream end>'": Text("a { that is never closed", "{ 没有闭合"),
    "expected ',' or ']', but got '<stream end>'": Text("a [ that is never closed", "[ 没有闭合"),
    "found unexpected end of stream": Text("a quote that is never closed", "引号没有闭合"),
    "expected <block end>, but found '<block mapping start>'": Text(
        "a key that is indented otherwise than those above it", "键的缩进与上面的不一致"
    ),
    "but found another document": Text("a second document; there may be only one", "出现了第二个文档；只能有一个"),
    "special characters are not allowed": Text("a control character", "出现了控制字符"),
}
"""What PyYAML says about the most frequent mistakes, in words; anything else is shown as it says it."""
