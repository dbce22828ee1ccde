"""Gathers the pages of the site: gather.py ROOT PAGES NOTEBOOKS. Everything is taken from where it stands; nothing is written twice."""

import concurrent.futures
import doctest
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import types

import cardan
import nbconvert
import nbformat

root, pages, notebooks = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
program = os.environ.get("CARDAN", str(root / "bin/cardan"))
LEFT_OUT = {"site", "notebooks"}


def copy_docs() -> None:
    for path in sorted((root / "docs").rglob("*")):
        inside = path.relative_to(root / "docs")
        if inside.parts[0] in LEFT_OUT or not path.is_file():
            continue
        (pages / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, pages / inside)
    (pages / "assets").mkdir()
    shutil.copy(root / "docs/site/iframe-worker.js", pages / "assets")


def result(model: str) -> str:
    """What the program says of the README's model, and a plot of its run."""
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / "pendulum.toml").write_text(model, encoding="utf-8")
        run = [program, "run", "pendulum.toml", "-o", "pendulum"]
        said = subprocess.run(run, cwd=work, capture_output=True, text=True, check=True).stdout.rstrip()
        picture = [program, "plot", "pendulum", "bar.angle", "-o", str(pages / "pendulum.svg")]
        subprocess.run(picture, cwd=work, capture_output=True, check=True)
        shutil.copy(pathlib.Path(work) / "pendulum" / "report.html", pages / "pendulum.html")
    return (
        "## A result\n\n    bin/cardan run pendulum.toml\n\n```text\n" + said + "\n```\n\n"
        "[![The angle of the pendulum over time](pendulum.svg)](pendulum.html)\n\nThe picture opens the report of this run.\n\n"
    )


def first_page() -> None:
    """The README, with its links as they are from here: what it is comes first, and its model is run."""
    text = (root / "README.md").read_text(encoding="utf-8")
    what = re.search(r"^Cardan simulates .*?\n\n", text, flags=re.DOTALL | re.MULTILINE)[0]
    text = text.replace(what, "", 1).replace("# Cardan\n\n", "# Cardan\n\n" + what, 1)
    model = re.search(r"```toml\n(.*?)```", text, flags=re.DOTALL)[1]
    text = text.replace("## Results\n", result(model) + "## Results\n", 1)
    text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(r"\[([^]]+)\]\((?:LICENSE|bench/[^)]*)\)", r"\1", text)
    (pages / "index.md").write_text(text, encoding="utf-8")


def moving(name: str, work: pathlib.Path) -> str:
    """Runs a model; its report and its film go to the gallery. Gives the picture that shows it: moving, where it has a shape."""
    run, target = work / name, pages / "gallery"
    subprocess.run([program, "run", str(root / "models" / name), "-q", "-o", str(run)], capture_output=True)
    if not (run / "report.html").exists():  # a model that is here for its fault
        return ""
    shutil.copy(run / "report.html", target / f"{name}.html")
    film = [program, "animate", str(run), "--gif", str(target / f"{name}.gif"), "--size", "320", "240", "--fps", "10", "--seconds", "3"]
    subprocess.run(film, capture_output=True)
    return f"{name}.gif" if (target / f"{name}.gif").exists() else f"{name}.svg"


def gallery() -> None:
    """Every example as a moving picture that opens its report."""
    page = pages / "gallery" / "README.md"
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"^!\[[^]]*\]\(([^)]*)\.svg\)$", text, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pictures = dict(zip(names, pool.map(lambda name: moving(name, pathlib.Path(work)), names)))
    for name, picture in pictures.items():
        if picture:
            text = re.sub(rf"^!\[([^]]*)\]\({re.escape(name)}\.svg\)$", rf"[![\1]({picture})]({name}.html)", text, flags=re.MULTILINE)
    moved = sum(picture.endswith(".gif") for picture in pictures.values())
    text = re.sub(r"drawn as they start; mechanisms given by their equations have a plot instead\.", "moving where a browser to draw with was there. "
                  "A picture opens the report of its run.", text)
    page.write_text(text, encoding="utf-8")
    print(f"gallery: {len(pictures)} models, {moved} moving")


def models() -> None:
    rows = []
    for readme in sorted((root / "models").glob("*/README.md")):
        name = readme.parent.name
        folder = pages / "models" / name
        folder.mkdir(parents=True, exist_ok=True)
        text = readme.read_text(encoding="utf-8")
        for part in sorted(readme.parent.iterdir()):
            if part.suffix in (".toml", ".csv", ".md", ".svg", ".png") and part.stat().st_size < 1 << 20:
                shutil.copy(part, folder / part.name)
        model = readme.parent / "model.toml"
        if model.exists():
            text += f"\n## The model\n\n```toml\n{model.read_text(encoding='utf-8').rstrip()}\n```\n"
        (folder / "README.md").write_text(text, encoding="utf-8")
        title = next((line[2:] for line in text.splitlines() if line.startswith("# ")), name)
        rows.append(f"| [{name}]({name}/README.md) | {title} |")
    head = "# Example models\n\n| model | what it is |\n|---|---|\n"
    (pages / "models" / "index.md").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


def described(name: str, item: object) -> str:
    doc = inspect.getdoc(item) or ""
    parts = []
    code = False
    for line in doc.splitlines():  # examples as code
        if line.startswith(">>>") and not code:
            parts.append("```python")
            code = True
        elif code and not line.strip():
            parts.append("```")
            code = False
        parts.append(line)
    if code:
        parts.append("```")
    try:
        call = f"{name}{inspect.signature(item)}" if callable(item) else name
    except (TypeError, ValueError):
        call = name
    call = re.sub(r"<[^>]*>", "...", call)
    return f"`{call}`\n\n" + re.sub(r"(?<!`)``(?!`)", "`", "\n".join(parts)) + "\n"


def python_reference() -> None:
    text = "# Reference of the Python package\n\nMade from its docstrings, whose examples are tests.\n"
    for name in cardan.__all__:
        item = getattr(cardan, name)
        text += f"\n## {name}\n\n" + described(f"cardan.{name}", item)
        if inspect.isclass(item):
            for part, method in inspect.getmembers(item):
                own = vars(item).get(part)  # methods and properties; fields stand in the class's first line
                if not part.startswith("_") and inspect.getdoc(method) and isinstance(own, (types.FunctionType, property, classmethod)):
                    text += f"\n### {name}.{part}\n\n" + described(part, method)
        elif inspect.ismodule(item):
            for part in getattr(item, "__all__", []):
                text += f"\n### {name}.{part}\n\n" + described(f"cardan.{name}.{part}", getattr(item, part))
    (pages / "user-guide" / "python-reference.md").write_text(text, encoding="utf-8")


def executed_notebooks() -> None:
    target = pages / "notebooks"
    target.mkdir(parents=True, exist_ok=True)
    exporter = nbconvert.MarkdownExporter()
    rows = []
    for path in sorted(notebooks.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:  # an animated report belongs into its own page
            for output in cell.get("outputs", []):
                page = output.get("data", {}).get("text/html", "")
                if "<iframe" in page:
                    output["data"]["text/html"] = page[: page.index("<iframe")]
        text, extra = exporter.from_notebook_node(notebook, resources={"unique_key": path.stem})
        for name, content in extra["outputs"].items():
            (target / name).write_bytes(content)
        text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
        (target / f"{path.stem}.md").write_text(text, encoding="utf-8")
        rows.append(f"- [{text.splitlines()[0].lstrip('# ')}]({path.stem}.md)")
    (target / "index.md").write_text("# Notebooks\n\nExecuted when this site was built.\n\n" + "\n".join(rows) + "\n", encoding="utf-8")


def known_commands() -> set[str]:
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z]+) ", said.split("Subcommands:")[1], flags=re.MULTILINE))


def python_fault(block: str, page: pathlib.Path) -> str:
    if ">>>" in block:
        block = doctest.script_from_examples(block)
    if block.lstrip().startswith(("%", "!")):
        return ""
    try:
        compile(block, str(page), "exec")
    except SyntaxError as fault:
        return str(fault)
    return ""


def toml_fault(block: str) -> str:
    try:
        tomllib.loads(block)
    except tomllib.TOMLDecodeError as fault:
        if "overwrite" in str(fault):  # one key in several ways, a line each
            return next(filter(None, map(toml_fault, block.splitlines())), "")
        return "" if re.search(r"^ *\.\.\.|= *\.\.\.", block, flags=re.MULTILINE) else str(fault)  # a part is left out
    return ""


def check_code() -> int:
    """Python in the pages must be Python, models TOML, commands and scripts must be there."""
    commands = known_commands()
    bad = 0
    for page in sorted(pages.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        faults = [python_fault(block, page) for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)]
        faults += [toml_fault(block) for block in re.findall(r"^```toml\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)]
        lines = re.findall(r"^    (\S.*)$", text, flags=re.MULTILINE)
        for block in re.findall(r"^```(?:sh|bash|console)?\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
            lines += block.splitlines()
        for line in lines:
            called = re.match(r"(?:\$ )?(?:bin/)?cardan ([a-z]+)\b(?! *[=:])", line)
            if called and called[1] not in commands:
                faults.append(f"no command '{called[1]}': {line}")
            script = re.match(r"bin/([a-z-]+)\b", line)
            if script and not (root / "bin" / script[1]).exists():
                faults.append(f"no script: {line}")
        for fault in filter(None, faults):
            print(f"{page.relative_to(pages)}: {fault}")
            bad += 1
    return bad


for step in (copy_docs, first_page, gallery, models, python_reference, executed_notebooks):
    step()
sys.exit(check_code() > 0)
