"""How bash and zsh write the value of an option behind `=`, where click takes it otherwise."""

from typing import Any

from click.shell_completion import BashComplete, CompletionItem, ZshComplete, add_completion_class


class Bash(BashComplete):
    """bash hands over `--off=no` as three words."""

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        return [arg for arg in args if arg != "="], incomplete


class Zsh(ZshComplete):
    """zsh puts the answer in the place of the whole word, the option's name with it."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[Any]]:
        items = super().get_completions(args, incomplete)
        name, equals, _ = incomplete.partition("=")
        if equals and name.startswith("--"):
            for item in items:
                item.value = f"{name}={item.value}"
        return items


def register() -> None:
    """Makes click answer these shells so."""
    add_completion_class(Bash)
    add_completion_class(Zsh)
