"""What the command line tells of plans that touch the same code."""

from tests.support.project import Project

F = ("edit", "-p", "f($A)", "-r", "ff($A)")
G = ("edit", "-p", "g($A)", "-r", "gg($A)")


def test_overlaps_are_told_when_staged_listed_and_drawn(project: Project) -> None:
    project.write(a_py="def one():\n    f(1)\n    g(2)\n", b_py="h(1)\n")
    first = project(*F, "--json").json["actionId"]
    assert f"Overlaps {first} (the same definition): only one can be applied" in project(*G).err
    project("edit", "-p", "h($A)", "-r", "hh($A)")
    apart, second, other = project("pending", "--json").json
    assert apart["overlaps"] == [] and other["id"] == first
    assert [(each["actionId"], each["how"]) for each in second["overlaps"]] == [
        (first, "definition")
    ]
    assert f"Overlaps {first}" in project("show", second["id"]).err
    shown = project("show", second["id"], "--json").json
    assert [each["actionId"] for each in shown["overlaps"]] == [first]
    graph = project("pending", "--graph").text.splitlines()
    assert graph[-1] == f"{second['id']} and {first} touch the same definition"
    drawn = project("pending", "--graph", "--json").json
    assert drawn["edges"] == [{"from": second["id"], "to": first, "how": "definition"}]
    assert len(drawn["pending"]) == 3


def test_what_an_apply_made_stale_is_named_and_marked(project: Project) -> None:
    project.write(a_py="f(1)\ng(2)\n")
    first = project(*F, "--json").json["actionId"]
    second = project(*G, "--json").json["actionId"]
    assert [row["stale"] for row in project("pending", "--json").json] == [False, False]
    done = project("resolve", "apply", first, "--reason", "t")
    assert f"Stale now, since they edit the same files: {second}." in done.text
    (left,) = project("pending", "--json").json
    assert (left["id"], left["stale"]) == (second, True)
    assert project("pending").text.rstrip().endswith("[stale]")
    assert project("pending", "--graph").code == 0


def test_a_preview_stands_on_a_pending_one_and_takes_the_place_of_another(project: Project) -> None:
    project.write(a_py="f(1)\n")
    first = project(*F, "--json").json["actionId"]
    again = ("edit", "-p", "ff($A)", "-r", "k($A)")
    assert f"{first}, which is pending, would create such code" in project(*again).err
    second = project(*again, "--after", first[-5:], "--json").json
    assert second["after"]["actionId"] == second["request"]["after"] == first
    assert "-ff(1)\n+k(1)\n" in project("show", second["actionId"], "--format", "patch").text
    assert project("pending").text.splitlines()[0].endswith(f"[after {first}]")
    assert [row["stale"] for row in project("pending", "--json").json] == [False, False]
    early = project("resolve", "apply", second["actionId"], "--reason", "t")
    assert early.code == 3 and f"Apply {first} first" in early.err
    instead = project("edit", "-p", "f($A)", "-r", "k($A)", "--replace", first)
    assert instead.code == 0 and f"--replace {first}" not in instead.err
    (newest, left) = project("pending", "--json").json
    assert (left["id"], left["stale"], newest["stale"]) == (second["actionId"], True, False)
    assert (
        "was superseded (replaced by"
        in project("resolve", "apply", left["id"], "--reason", "t").err
    )
    assert project("edit", "-p", "f($A)", "-r", "g($A)", "--check", "--replace", first).code == 2
