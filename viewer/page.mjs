// The report page that is kept in the repository (page/), so that the program builds without Node.
//   node page.mjs          builds the page and keeps it, with the checksums of the sources that it was made from
//   node page.mjs --check  builds it and fails where the kept one differs
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const at = (...parts) => join(here, ...parts);

function files(folder) {
  return readdirSync(at(folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]);
}

// As sha256sum writes them; cmake/viewer.cmake makes the same list to see whether the kept page is up to date.
function checksums() {
  const names = [...files("src"), "build.mjs", "package-lock.json"].sort();
  return names.map((name) => `${createHash("sha256").update(readFileSync(at(name))).digest("hex")}  ${name}\n`).join("");
}

const place = mkdtempSync(join(tmpdir(), "cardan-page-"));
execFileSync(process.execPath, [at("build.mjs"), `--out=${place}`], { stdio: ["ignore", "ignore", "inherit"] });
const page = readFileSync(join(place, "viewer.html"));
rmSync(place, { recursive: true });

if (process.argv.includes("--check")) {
  const same = page.equals(readFileSync(at("page/viewer.html"))) && checksums() === readFileSync(at("page/sources.sha256"), "utf8");
  if (!same) {
    console.error("viewer/page is not what viewer/src gives: run `npm run page` in viewer/ and commit it");
    process.exit(1);
  }
} else {
  mkdirSync(at("page"), { recursive: true });
  writeFileSync(at("page/viewer.html"), page);
  writeFileSync(at("page/sources.sha256"), checksums());
}
