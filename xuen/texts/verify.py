"""What the verifiers say: the test suites and the judge."""

from __future__ import annotations

from xuen.texts import Text

# --- the judge's answer --------------------------------------------------------------------------------------------

SCORE_READ = Text("the judge gives {score}", "评审员给出 {score} 分")
SCORE_MISSING = Text(
    "the judge's answer does not end with a score in the form that was asked for",
    "评审员的回答没有以要求的格式给出评分",
)
ANSWER_EMPTY = Text("the judge gave no answer", "评审员没有给出回答")

# --- the judge's call ----------------------------------------------------------------------------------------------

JUDGE_FAILED = Text("the judge could not answer: {reason}", "评审员未能作答：{reason}")
JUDGE_DAMAGED = Text("a snapshot cannot be shown to the judge: {reason}", "快照无法交给评审员：{reason}")

# --- suites in general ---------------------------------------------------------------------------------------------

NO_SUITE = Text("no test suite can be run here", "这里没有可运行的测试套件")
SUITE_CANNOT_RUN = Text(
    "there is something to run, but it cannot judge: {reason}",
    "有可运行的内容，但无法用来判断：{reason}",
)
NO_FOLDER = Text("there is no folder {folder} whose tests could be run", "没有可供运行测试的文件夹 {folder}")
NO_FILE = Text("no {file}, so nothing for {runner}", "没有 {file}，无需运行 {runner}")
NO_PROGRAM = Text("{runner} is not on PATH", "PATH 中找不到 {runner}")
TESTS_NOTHING = Text("{runner} runs no test", "{runner} 没有运行任何测试")
TOOL_MISSING = Text("a program or script that {runner} needs is missing", "{runner} 所需的程序或脚本不存在")
CANNOT_START = Text("the tests cannot be started: {error}", "无法启动测试：{error}")
SUITE_UNSEEN = Text(
    "{runner} ended with 0, but no test was seen to pass",
    "{runner} 以 0 结束，但没有看到任何测试通过",
)
SUITE_PASSED = Text("{runner} passed", "{runner} 通过")
SUITE_FAILED = Text("{runner} failed with exit code {code}", "{runner} 失败，退出码 {code}")
SUITE_CONTRADICTS = Text(
    "{runner} ended with success, but its output reports failures",
    "{runner} 以成功结束，但输出中报告了失败",
)
SUITE_TIMEOUT = Text(
    "the test suite did not end within {seconds} s (rounds.test_timeout)",
    "测试套件未能在 {seconds} 秒内结束（rounds.test_timeout）",
)
SUITE_STOPPED = Text("the run was stopped while the tests were running", "测试进行中，运行被停止")
SUITE_KILLED = Text("the test suite was killed (exit code {code})", "测试套件被终止（退出码 {code}）")
SUITE_TROUBLE = Text("the test suite could not be run: {error}", "无法运行测试套件：{error}")
SUITE_CHANGED = Text(
    "{reason}; the suite changed files and they stay as they are: {files}",
    "{reason}；测试套件改动了文件，已原样保留：{files}",
)

LEFT_OUT = Text("… ({count} characters left out)", "…（略去 {count} 个字符）")

# --- pytest --------------------------------------------------------------------------------------------------------

PYTEST_NO_FILES = Text("no file that pytest would take for a test", "没有 pytest 会视为测试的文件")
PYTEST_MISSING = Text("pytest is not installed for {python}", "{python} 没有安装 pytest")
PYTHON_BROKEN = Text("the interpreter {python} does not run", "解释器 {python} 无法运行")
PYTEST_NOTHING_RAN = Text("pytest ran no test ({skipped} skipped)", "pytest 没有运行任何测试（跳过 {skipped} 个）")
PYTEST_PASSED = Text("pytest: {passed} passed", "pytest：{passed} 个通过")
PYTEST_FAILED = Text("pytest: {failed} failed, {passed} passed", "pytest：{failed} 个失败，{passed} 个通过")
PYTEST_CUT_SHORT = Text("pytest exited before its end", "pytest 中途退出")
PYTEST_NO_REPORT = Text(
    "pytest ended with exit code {code} before it could report", "pytest 未能给出报告就已结束，退出码 {code}"
)
PYTEST_TROUBLE = Text("pytest could not do its work (exit code {code})", "pytest 无法正常工作（退出码 {code}）")

# --- make, npm and go ----------------------------------------------------------------------------------------------

MAKE_DOUBT = Text(
    "a Makefile; whether it has a `test` target shows in the first round",
    "有 Makefile；有没有 test 目标要到第一轮才知道",
)
MAKE_NO_TARGET = Text("make has no `test` target", "make 没有 test 目标")
MAKE_NOTHING = Text("make has nothing to do for test", "make 的 test 目标无事可做")
MAKE_UNREADABLE = Text("make cannot read the Makefile", "make 无法读取 Makefile")
GO_DOUBT = Text("a Go module; whether it has tests shows in the first round", "有 Go 模块；有没有测试要到第一轮才知道")
NPM_UNREADABLE = Text("package.json is not a JSON object", "package.json 不是 JSON 对象")
NPM_NO_SCRIPT = Text("package.json has no test script", "package.json 没有 test 脚本")
NPM_NO_PACKAGES = Text("the packages that package.json names are not installed", "package.json 声明的包没有安装")
