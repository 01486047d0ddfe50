// Programs that can be changed: the numbers, cards, models and formats of an example become fields, and each
// change runs it again, as scripts/javascript/programs.py translated it. Its new output stands below the page's.
const FOLDER = new URL("../arithmetic/programs/", import.meta.url);
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
  const [python, known] = await Promise.all([import(new URL(`${program}.js`, FOLDER)), names()]);
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

  const value = async ({ made, module }) => {
    if (!module) return python.loads(made.value.replace(/\.(?=e|$)/i, ""));
    return (await import(new URL(`entries/${module}/${made.value}.js`, FOLDER))).default(python.$Dict);
  };

  async function printed() {
    const bad = fields.filter(({ made, module }) => !module && !NUMBER.test(made.value));
    for (const { made } of fields) made.ariaInvalid = String(bad.some((each) => each.made === made));
    if (bad.length) return [`${bad[0].made.value || "nothing"} is no number`];
    try {
      return python.run(await Promise.all(fields.map(value)));
    } catch (error) {
      return [`refused: ${error.message}`];
    }
  }

  let turn = 0;
  async function rerun() {
    const own = ++turn;
    const lines = (await printed()).join("\n").split("\n");
    if (own !== turn) return; // changed again meanwhile
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
