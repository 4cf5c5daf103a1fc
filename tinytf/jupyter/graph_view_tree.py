"""The tree of a graph's drawing: nodes in groups in groups, and what is set aside.

Groups are name scopes; and, where names are not enough, loops, functions, and parts of what would
be too many to read at once. The *items* of a tree are its nodes, by their index, and then its
groups; the last item is the root. What is drawn is decided by which groups are open: see `view_of`,
and viewOf in static/graph_view_state.js, which does the same in the browser.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import ceil, log

from tinytf.jupyter.graph_view_cycles import find_cycles
from tinytf.jupyter.graph_view_nodes import Node

#: With more items, a group is divided: nobody reads it. Also what the first view may show.
MOST_ITEMS = 30
_FEW_ITEMS = 16  # in a part
_MOST_ASIDE = 6
_SAVING = {"SaveV2", "RestoreV2", "Save", "Restore", "MergeV2Checkpoints", "SaveSlices"}


@dataclass(slots=True)
class Group:
    """Some items drawn as one.

    Attributes:
      kind: "scope", "loop", "function", "part" (of many) or "aside".
      label: what is written on it, relative to the group it is in. path: its full name with "/".
      core: the node that it is named after, as a variable among its parts; -1 for none.
      loop: the name of the loop that it is.
      children: its items, in the order in which they were built.
    """

    kind: str
    label: str
    path: str = ""
    core: int = -1
    loop: str = ""
    children: list[int] = field(default_factory=list)


class Tree:
    """The tree of some nodes.

    Attributes:
      nodes, groups: the item number `n` is `nodes[n]` or `groups[n - len(nodes)]`.
      parent: of each item; -1 for the root. sizes: how many nodes each item holds.
      labels: what is written on nodes, where it is not the last part of their name.
      aside: the items that are drawn beside the picture, without lines.
      edges: (source, target, output or -1 for a control edge), as `Node.edges` gives them.
      cycles: nodes that need each other, though no loop says so.
    """

    def __init__(self, nodes: Sequence[Node]):
        self.nodes = list(nodes)
        self.groups: list[Group] = []
        self.parent = [-1] * len(nodes)
        self.labels: dict[int, str] = {}
        self.aside: set[int] = set()
        self.edges = [
            (source, target, output)
            for target, node in enumerate(self.nodes)
            for source, output in node.edges()
        ]
        self.cycles = find_cycles(self.nodes)
        self._add_scopes()
        self._flatten_lonely()
        self.sizes = self._count()
        self._mark_loops()
        self._set_aside()
        self._divide()
        self.root = self._put_root_last()
        self.sizes = self._count()

    def group(self, item: int) -> Group:
        """The group that an item is; IndexError for nodes."""
        if item < len(self.nodes):
            raise IndexError(f"Item {item} is a node, not a group.")
        return self.groups[item - len(self.nodes)]

    def is_group(self, item: int) -> bool:
        """Whether an item is a group."""
        return item >= len(self.nodes)

    def label(self, item: int) -> str:
        """What is written on an item."""
        if self.is_group(item):
            return self.group(item).label
        return self.labels.get(item, self.nodes[item].name.rpartition("/")[2])

    def _add_group(self, group: Group, parent: int) -> int:
        self.groups.append(group)
        self.parent.append(parent)
        return len(self.parent) - 1

    def _move(self, items: Collection[int], group: int) -> None:
        """Put children of one group into another; the order of the nodes stays."""
        old = self.group(self.parent[next(iter(items))])
        moved = set(items)
        self.group(group).children += [item for item in old.children if item in moved]
        place = old.children.index(next(item for item in old.children if item in moved))
        here = self.parent[next(iter(items))]
        old.children = [item for item in old.children if item not in moved]
        if self.parent[group] == here and group not in old.children:
            old.children.insert(min(place, len(old.children)), group)
        for item in items:
            self.parent[item] = group

    # Scopes -------------------------------------------------------------------------------------

    def _add_scopes(self) -> None:
        root = self._add_group(Group("scope", ""), -1)
        self._first = root
        self._by_path = {"": root}
        scopes = {""}
        for node in self.nodes:
            parts = node.path.split("/")
            scopes.update("/".join(parts[:depth]) for depth in range(1, len(parts)))
        functions = {node.function for node in self.nodes} - {""}
        for number, node in enumerate(self.nodes):
            is_core = node.path in scopes and node.path not in functions
            home = node.path if is_core else node.path.rpartition("/")[0]
            group = self._scope(home, functions)
            if is_core and self.group(group).core < 0:
                self.group(group).core = number
                self.labels[number] = f"({node.path.rpartition('/')[2]})"
            self.parent[number] = group
            self.group(group).children.append(number)

    def _scope(self, path: str, functions: Collection[str]) -> int:
        missing = []
        while path not in self._by_path:
            missing.append(path)
            path = path.rpartition("/")[0]
        group = self._by_path[path]
        for path in reversed(missing):
            kind = "function" if path in functions else "scope"
            made = self._add_group(Group(kind, path.rpartition("/")[2], f"{path}/"), group)
            self.group(group).children.append(made)
            group = self._by_path[path] = made
        return group

    def _flatten_lonely(self) -> None:
        """A scope that holds one item alone is that item, with a longer label."""
        for number in reversed(range(1, len(self.groups))):
            item = number + len(self.nodes)
            group = self.groups[number]
            if len(group.children) != 1 or group.kind != "scope":
                continue
            child, parent = group.children[0], self.parent[item]
            label = f"{group.label}/{self.label(child)}"
            if self.is_group(child):
                self.group(child).label = label
            else:
                self.labels[child] = label
            siblings = self.group(parent).children
            siblings[siblings.index(item)] = child
            self.parent[child], self.parent[item] = parent, -2  # -2: gone
            group.children = []

    def _count(self) -> list[int]:
        sizes = [1] * len(self.nodes) + [0] * len(self.groups)
        for number in range(len(self.nodes)):
            item = self.parent[number]
            while item >= 0:
                sizes[item] += 1
                item = self.parent[item]
        return sizes

    def path_of(self, item: int) -> list[int]:
        """The groups that an item is in, the innermost first; the root is the last."""
        found = []
        item = self.parent[item]
        while item >= 0:
            found.append(item)
            item = self.parent[item]
        return found

    # Loops --------------------------------------------------------------------------------------

    def _mark_loops(self) -> None:
        """Say which scopes are loops; box loops that have no scope of their own."""
        members: dict[tuple[str, ...], list[int]] = {}
        for number, node in enumerate(self.nodes):
            for depth in range(1, len(node.frame) + 1):
                members.setdefault(node.frame[:depth], []).append(number)
        for frame in sorted(members, key=len):
            inside = set(members[frame])
            home = self._common_group(members[frame])
            group = self.group(home)
            if home != self._first and group.kind in ("scope", "loop"):
                if 2 * len(inside) >= self.sizes[home] and not group.loop:
                    group.kind, group.loop = "loop", frame[-1]
                    continue
            held = Counter(item for number in inside for item in [number, *self.path_of(number)])
            whole = [item for item in group.children if held[item] == self.sizes[item]]
            if 2 <= len(whole) < len(group.children):
                box = self._add_group(Group("loop", frame[-1], loop=frame[-1]), home)
                self._move(whole, box)
                self.sizes = self._count()

    def _common_group(self, numbers: Sequence[int]) -> int:
        common = self.path_of(numbers[0])
        for number in numbers[1:]:
            path = set(self.path_of(number))
            common = [item for item in common if item in path]
        return common[0]

    # Set aside ----------------------------------------------------------------------------------

    def _set_aside(self) -> None:
        for number, node in enumerate(self.nodes):
            if _is_auxiliary(node):
                self.aside.add(number)
        self._add_constants_of_aside()
        for position in reversed(range(len(self.groups))):
            group, item = self.groups[position], position + len(self.nodes)
            if not group.children or item == self._first:
                continue
            saves = any(self._is_saving(child) for child in group.children)
            functions = group.kind == "function"
            if saves or functions or all(child in self.aside for child in group.children):
                self.aside.add(item)
                self.aside.difference_update(group.children)
        links = self._links()
        for position, group in enumerate(self.groups):
            self._set_hubs_aside(group, links.get(position + len(self.nodes), {}))
            if group.children and all(child in self.aside for child in group.children):
                self.aside.difference_update(group.children)
            for child in group.children:
                if self._is_wanted(child):
                    self.aside.discard(child)

    def _is_wanted(self, item: int) -> bool:
        return not self.is_group(item) and self.nodes[item].note == "fetched"

    def _is_saving(self, item: int) -> bool:
        return not self.is_group(item) and self.nodes[item].type in _SAVING

    def _add_constants_of_aside(self) -> None:
        """Tags of summaries and names of files go with what takes them."""
        users: dict[int, list[int]] = {}
        for source, target, _ in self.edges:
            users.setdefault(source, []).append(target)
        for number, node in enumerate(self.nodes):
            using = users.get(number)
            if node.type == "Const" and using and all(user in self.aside for user in using):
                self.aside.add(number)

    def _links(self) -> dict[int, dict[int, set[int]]]:
        """For each group: its children that have edges to each other."""
        links: dict[int, dict[int, set[int]]] = {}
        for source, target, _ in self.edges:
            group, a, b = self.meeting(source, target)
            if a != b:
                near = links.setdefault(group, {})
                near.setdefault(a, set()).add(b)
                near.setdefault(b, set()).add(a)
        return links

    def meeting(self, source: int, target: int) -> tuple[int, int, int]:
        """The innermost group that holds both nodes, and its children that they are in."""
        above = [source, *self.path_of(source)]
        place = {item: position for position, item in enumerate(above)}
        child = target
        for item in self.path_of(target):
            if item in place:
                position = place[item]
                return item, above[max(0, position - 1)], child
            child = item
        raise ValueError(f"Nodes {source} and {target} are in no tree.")

    def _set_hubs_aside(self, group: Group, links: dict[int, set[int]]) -> None:
        """The few items that are linked to almost everything would knot the picture."""
        drawn = [child for child in group.children if child not in self.aside]
        if len(drawn) < 10:
            return
        inside = set(drawn)
        near = {item: links.get(item, set()) & inside for item in drawn}
        for _ in range(2 + len(drawn) // 10):
            degrees = sorted(map(len, near.values()))
            usual = degrees[3 * len(degrees) // 4]
            hub = max(near, key=lambda item: (len(near[item]), self.sizes[item]))
            if len(near[hub]) <= max(7.0, len(drawn) ** 0.5, 2.0 * usual):
                return
            if not self._is_wanted(hub):
                self.aside.add(hub)
            for other in near.pop(hub):
                near.get(other, set()).discard(hub)

    # Parts of what is too much ------------------------------------------------------------------

    def _divide(self) -> None:
        for position in range(len(self.groups)):
            item = position + len(self.nodes)
            group = self.groups[position]
            aside = [child for child in group.children if child in self.aside]
            if len(aside) > _MOST_ASIDE:
                box = self._add_group(Group("aside", f"{len(aside)} set aside"), item)
                self._move(aside, box)
                self.aside.difference_update(aside)
                self.aside.add(box)
                self._divide_children(box, aside)
            drawn = [child for child in group.children if child not in self.aside]
            self._divide_children(item, drawn)

    def _divide_children(self, group: int, items: list[int]) -> None:
        """Put so many children into parts that at most MOST_ITEMS are left; parts have parts."""
        if len(items) <= MOST_ITEMS:
            return
        units = self._units(items)
        if len(units) < len(items):
            items = self._gather(group, units)
        while len(items) > _FEW_ITEMS:
            depth = ceil(log(len(items)) / log(_FEW_ITEMS))
            size = max(2, ceil(len(items) ** (1 / max(2, depth))))
            items = self._gather(
                group, [items[start : start + size] for start in range(0, len(items), size)]
            )

    def _gather(self, group: int, units: list[list[int]]) -> list[int]:
        """Put the children of each unit into a part of its own; what there is now instead."""
        gathered, moved = [], set()
        for items in units:
            if len(items) == 1:
                gathered += items
                continue
            first, last = self.label(items[0]), self.label(items[-1])
            label = f"{first.partition(' … ')[0]} … {last.rpartition(' … ')[2]}"
            box = self._add_group(Group("part", label, children=items), group)
            for item in items:
                self.parent[item] = box
            moved.update(items)
            gathered.append(box)
        known = moved.union(gathered)
        rest = [item for item in self.group(group).children if item not in known]
        self.group(group).children = gathered + rest
        return gathered

    def _units(self, items: list[int]) -> list[list[int]]:
        """Items that follow each other again and again belong together: the steps of an RNN."""
        kinds = [self._kind(item) for item in items]
        for period in range(2, min(MOST_ITEMS, len(items) // 3) + 1):
            same = sum(a == b for a, b in zip(kinds, kinds[period:]))
            if same >= 0.95 * (len(items) - period):
                if len(set(kinds)) == 1:
                    break
                step = period * max(1, 8 // period)
                skip = len(items) % step  # what is before the first round
                starts = [0, *range(skip or step, len(items), step)]
                return [items[a:b] for a, b in zip(starts, [*starts[1:], len(items)])]
        return [[item] for item in items]

    def _kind(self, item: int) -> str:
        if not self.is_group(item):
            return self.nodes[item].type
        core = self.group(item).core
        return self.nodes[core].type if core >= 0 else self.label(item).rstrip("_0123456789")

    def _put_root_last(self) -> int:
        """Number the groups anew, without those that are gone; the root gets the last number."""
        kept = [
            item for item in range(len(self.nodes), len(self.parent)) if self.parent[item] >= 0
        ] + [self._first]
        number = dict(zip(kept, range(len(self.nodes), len(self.nodes) + len(kept))))
        number.update((item, item) for item in range(len(self.nodes)))
        self.groups = [self.group(item) for item in kept]
        self.parent = [
            number.get(self.parent[item], -1) for item in [*range(len(self.nodes)), *kept]
        ]
        self.aside = {number[item] for item in self.aside}
        for group in self.groups:
            group.children = [number[child] for child in group.children]
        return number[self._first]


def _is_auxiliary(node: Node) -> bool:
    if node.note:
        return False
    if node.type == "NoOp":
        return len(node.controls) > 2
    return node.type.endswith(("Summary", "SummaryV2")) or node.type in _SAVING


# ------------------------------------------------------------------------------ what is drawn


@dataclass(slots=True)
class View:
    """What a drawing shows when some groups are open.

    Attributes:
      shown: for every node the item that stands for it: itself, or a closed group.
      lines: (item, item) -> the edges that are drawn between them, by number.
      beside: likewise, those of items set aside: not drawn as lines.
      inside: closed group -> the edges within it.
    """

    shown: list[int]
    lines: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    beside: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    inside: dict[int, list[int]] = field(default_factory=dict)


def view_of(tree: Tree, opened: Collection[int]) -> View:
    """The view with these groups open; the root always is. Each edge is in it exactly once."""
    opened = {*opened, tree.root}
    shown = []
    for number in range(len(tree.nodes)):
        closed = [item for item in tree.path_of(number) if item not in opened]
        shown.append(closed[-1] if closed else number)
    view = View(shown)
    for number, (source, target, _) in enumerate(tree.edges):
        a, b = shown[source], shown[target]
        if a == b and tree.is_group(a):
            view.inside.setdefault(a, []).append(number)
            continue
        group, _, _ = tree.meeting(source, target)
        between = [
            item
            for end in (a, b)
            for item in [end, *tree.path_of(end)]
            if group in tree.path_of(item)
        ]
        kind = view.beside if tree.aside.intersection(between) else view.lines
        kind.setdefault((a, b), []).append(number)
    return view


def first_view(tree: Tree) -> set[int]:
    """The groups that are open at first.

    From the outside in, as long as all of a level can be opened: one open scope among closed ones
    of its kind would look as if it were special. What a node is named after opens last, and so
    do gradients: they are most of a graph, and one looks for them when one knows the rest.
    """
    opened = {tree.root}
    boxes = len(tree.group(tree.root).children)
    level = [tree.root]
    while level:
        found = [
            child
            for item in level
            for child in tree.group(item).children
            if tree.is_group(child) and child not in tree.aside
        ]
        level = []
        for is_late in (False, True):
            batch = [item for item in found if _opens_late(tree.group(item)) == is_late]
            more = sum(len(tree.group(item).children) - 1 for item in batch)
            if boxes + more <= MOST_ITEMS:
                boxes += more
                opened.update(batch)
                level += batch
    return opened


def _opens_late(group: Group) -> bool:
    return group.core >= 0 or group.label.rpartition("/")[2].startswith("gradients")
