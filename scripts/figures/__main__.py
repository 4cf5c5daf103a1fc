"""Draw the course's figures into images/ (or into another folder).

python scripts/figures [FOLDER]            draw all
python scripts/figures --check [FOLDER]    compare with the files; exit code 1 if they differ
"""

import sys
from pathlib import Path

import chapter_01
import chapter_02
import chapter_03
import chapter_04
import chapter_05
import chapter_06
import chapter_07
import chapter_08
import chapter_09
import chapter_10
import chapter_11
import chapter_12
import chapter_13
import cockpit
import course
import journey

IMAGES = Path(__file__).resolve().parents[2] / "images"


def main(arguments: list[str]) -> int:
    """Draw or compare; return the exit code."""
    check = "--check" in arguments
    folders = [Path(argument) for argument in arguments if argument != "--check"]
    if len(folders) > 1 or any(str(folder).startswith("-") for folder in folders):
        print(__doc__)
        return 2
    different = changed(folders[0] if folders else IMAGES, write=not check)
    if check:
        for path in different:
            print(f"{path} is not what scripts/figures draws")
        return 1 if different else 0
    print(f"drawn: {', '.join(path.name for path in different) or 'nothing new'}")
    return 0


def changed(folder: Path, write: bool) -> list[Path]:
    """The files that are not what the script draws; with `write`, they are now."""
    different = []
    chapters = (
        cockpit,
        course,
        chapter_01,
        chapter_02,
        chapter_03,
        chapter_04,
        chapter_05,
        chapter_06,
        chapter_07,
        chapter_08,
        chapter_09,
        chapter_10,
        chapter_11,
        chapter_12,
        chapter_13,
        journey,
    )
    for draw in (draw for chapter in chapters for draw in chapter.FIGURES):
        figure = draw()
        path, content = folder / f"{figure.name}.svg", figure.svg().encode()
        if path.exists() and path.read_bytes() == content:
            continue
        different.append(path)
        if write:
            temporary = path.with_suffix(".svg.new")
            temporary.write_bytes(content)
            temporary.replace(path)
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
