// Runs a program for WASI under node: node tests/wasm.mjs PROGRAM.wasm [ARGUMENT...]
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [path, ...words] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [path, ...words] });
const program = await WebAssembly.compile(readFileSync(path));
const instance = await WebAssembly.instantiate(program, {
  wasi_snapshot_preview1: wasi.wasiImport,
});
process.exitCode = wasi.start(instance);
