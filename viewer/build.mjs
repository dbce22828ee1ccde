// Builds dist/viewer.html: the whole viewer in one file, with one place ("@CARDAN_DATA@") where the program puts the data.
// With --fixtures also build/*.html, the reports of the test fixtures.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const at = (...parts) => join(here, ...parts);

const argument = process.argv.find((a) => a.startsWith("--out="));
const dist = argument ? argument.slice(6) : at("dist");

async function bundle() {
  const result = await build({
    entryPoints: [at("src/main.ts")], bundle: true, minify: true, format: "iife", target: "es2021", charset: "utf8", write: false, outdir: dist,
    legalComments: "none", loader: { ".css": "css" },
  });
  const text = (ending) => result.outputFiles.find((f) => f.path.endsWith(ending)).text;
  const page = readFileSync(at("src/page.html"), "utf8")
    .replace("/*STYLE*/", () => text(".css"))
    .replace("/*SCRIPT*/", () => text(".js").replaceAll("</script", "<\\/script"));
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, "viewer.html"), page);
  return page;
}

async function fixtures(page) {
  const result = await build({ entryPoints: [at("test/fixtures/all.ts")], bundle: true, format: "esm", platform: "node", write: false });
  const script = at("dist", "fixtures.mjs");
  writeFileSync(script, result.outputFiles[0].text);
  const { fixtures: make } = await import(pathToFileURL(script).href);
  mkdirSync(at("build"), { recursive: true });
  for (const [name, runs] of Object.entries(await make())) {
    const data = runs
      .map(({ doc, columns }) =>
        `<script type="application/json" class="cardan-run">${JSON.stringify(doc).replaceAll("<", "\\u003c")}</script>\n` +
        `<script type="text/plain" class="cardan-columns">${Buffer.from(columns).toString("base64")}</script>`)
      .join("\n");
    writeFileSync(at("build", `${name}.html`), page.replace("<!--@CARDAN_DATA@-->", () => data));
  }
}

const page = await bundle();
if (process.argv.includes("--fixtures")) await fixtures(page);
console.log(`viewer.html: ${(page.length / 1024).toFixed(0)} KiB`);
