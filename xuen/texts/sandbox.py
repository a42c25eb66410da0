"""What xwork says to people about the sandbox of its commands."""

from __future__ import annotations

from xuen.texts import Text

MISSING = Text(
    "the sandbox for commands needs bubblewrap (bwrap), which is not installed here",
    "命令沙箱需要 bubblewrap（bwrap），但这里没有安装",
)
MISSING_MEND = Text(
    "install it (Debian, Ubuntu: apt install bubblewrap), or go without: --sandbox off",
    "请安装（Debian、Ubuntu：apt install bubblewrap），或用 --sandbox off 不使用沙箱",
)
BROKEN = Text(
    "bubblewrap cannot make a sandbox on this system: {reason}", "bubblewrap 无法在这个系统上建立沙箱：{reason}"
)
TOO_SLOW = Text("no result within {seconds} s", "{seconds} 秒内没有结果")
BROKEN_MEND = Text(
    "usually user namespaces are switched off (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
    "kernel.apparmor_restrict_unprivileged_userns, or the container's rules); allow them, or go without: --sandbox off",
    "多半是用户命名空间被关闭（sysctl user.max_user_namespaces、kernel.unprivileged_userns_clone、"
    "kernel.apparmor_restrict_unprivileged_userns，或容器的限制）；请允许它们，或用 --sandbox off 不使用沙箱",
)
NOT_WRITABLE = Text(
    "inside the sandbox the workspace {path} could not be written",
    "在沙箱里无法写入工作区 {path}",
)
NOT_WRITABLE_MEND = Text(
    "the workspace must belong to the user that runs xwork; or go without: --sandbox off",
    "工作区必须属于运行 xwork 的用户；或用 --sandbox off 不使用沙箱",
)
WHOLE_SYSTEM = Text(
    "the workspace {path} holds the system itself, so a sandbox around it would hold nothing back",
    "工作区 {path} 包含系统本身，沙箱起不到任何作用",
)
WHOLE_SYSTEM_MEND = Text(
    "choose a folder as workspace: --workspace DIR", "请选择一个文件夹作为工作区：--workspace 目录"
)
NO_FOLDER = Text("the sandbox has no place for its temporary files: {reason}", "沙箱没有地方存放临时文件：{reason}")
GOES_WITHOUT = Text("commands run without a sandbox: {reason}", "命令不在沙箱中运行：{reason}")
