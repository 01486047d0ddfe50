// Programs that can be changed: the numbers, cards, models and formats of an example become fields, and each
// change runs it again, as scripts/javascript/programs.py translated it. Its new output stands below the page's.
const FOLDER = new URL("../arithmetic/programs/", import.meta.url);
const PATIENCE = 5_000; // milliseconds until a program is stopped
const NUMBER = /^\d+(\.\d*)?(e[+-]?\d+)?$/i;
const names = async () => (await fetch(new URL("names.json", FOLDER))).json();

const element = (name, ...children) => {
  const made = document.createElement(name);
  made.append(...children);
  return made;
};

function field(span, known) {
  const { module } = span.dataset;
  const written = span.textContent;
  const made = element(module ? "select" : "input");
  if (module) made.append(...Object.entries(known[module]).map(([name, label]) => new Option(label, name)));
  else Object.assign(made, { inputMode: "decimal", autocomplete: "off", maxLength: 12, size: written.length });
  made.value = written;
  made.ariaLabel = module ? `Instead of ${written}` : `Number, ${written} on the page`;
  span.replaceChildren(made);
  return { span, made, written, module };
}

async function change(box, shared) {
  if (box.dataset.needs) return refuse(box);
  const { program } = box.dataset;
  const module = new URL(`${program}.js`, FOLDER).href;
  const known = await names();
  const fields = [...box.querySelectorAll(".field")].map((span) => field(span, known));
  const uses = [...box.querySelectorAll(".use")];
  const old = box.nextElementSibling.querySelector("code").textContent.trimEnd();
  const result = element("div");
  const reset = element("button", "Reset");
  reset.type = "button";
  Object.assign(result, { className: "rerun", role: "status" });
  box.nextElementSibling.after(result);
  const button = box.querySelector(".edit");
  button.hidden = true;

  const value = ({ made, module }) =>
    module
      ? { entry: new URL(`entries/${module}/${made.value}.js`, FOLDER).href }
      : { number: made.value.replace(/\.(?=e|$)/i, "") };

  let worker;
  let timer;
  /** The lines that the program prints now; nothing where it is changed again before it has ended. */
  function printed() {
    worker?.terminate();
    clearTimeout(timer);
    const bad = fields.filter(({ made, module }) => !module && !NUMBER.test(made.value));
    for (const each of fields) each.made.ariaInvalid = String(bad.includes(each));
    if (bad.length) return [`${bad[0].made.value || "nothing"} is no number`];
    worker = new Worker(new URL("program-run.js", import.meta.url), { type: "module" });
    return new Promise((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.postMessage({ module, fields: fields.map(value) });
      timer = setTimeout(() => done(["stopped: it ran for five seconds"]), PATIENCE);
    }).finally(() => worker.terminate());
  }

  async function rerun() {
    const lines = (await printed()).join("\n").split("\n");
    for (const use of uses) use.textContent = fields[use.dataset.of].made.value;
    const page = old.split("\n");
    const changed = fields.some(({ made, written }) => made.value !== written);
    const differs = lines.join("\n") !== page.join("\n");
    const shown = lines.flatMap((line, at) => [line === page[at] ? line : element("mark", line), "\n"]);
    const said = differs ? "Differs from the page " : changed ? "The same as on the page " : "As on the page ";
    result.replaceChildren(element("p", said, reset), ...(differs ? [element("pre", element("code", ...shown))] : []));
    const address = new URL(location);
    if (changed) address.searchParams.set(program, fields.map(({ made }) => made.value).join(" "));
    else address.searchParams.delete(program);
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  }

  reset.addEventListener("click", async () => {
    for (const { made, written } of fields) made.value = written;
    await rerun();
    for (const { span, written } of fields) span.replaceChildren(written);
    result.remove();
    button.hidden = false;
    button.focus();
  });
  shared?.split(" ").forEach((text, at) => fields[at] && (fields[at].made.value = text));
  for (const { made } of fields) made.addEventListener("input", rerun);
  if (shared === undefined) fields[0].made.focus();
  await rerun();
}

function refuse(box) {
  const told = element("p", "NumPy and PyTorch do not run in this page. In the repository: ", element("code", `python ${box.dataset.needs}`));
  Object.assign(told, { className: "rerun", role: "status" });
  box.nextElementSibling.after(told);
  box.querySelector(".edit").hidden = true;
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button.edit");
  if (button) change(button.closest(".highlight"));
});
for (const [name, values] of new URL(location).searchParams) {
  const box = document.querySelector(`[data-program="${CSS.escape(name)}"]`);
  if (box) change(box, values);
}
