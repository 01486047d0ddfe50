// A long list to choose from, with a field to find in it: what is typed may stand anywhere in a name. The
// select stays what it is, for a form, a phone's own list and a page without this script.
const finder = document.createElement("div");
finder.className = "finder";
finder.popover = "auto";
const input = Object.assign(document.createElement("input"), { type: "text", autocomplete: "off", spellcheck: false });
input.setAttribute("role", "combobox");
input.setAttribute("aria-expanded", "true");
input.setAttribute("aria-controls", "finder-list");
const list = document.createElement("div");
list.id = "finder-list";
list.setAttribute("role", "listbox");
finder.append(input, list);

let select; // for which it is open

const options = () => [...list.querySelectorAll("[role=option]")];
const active = () => list.querySelector("[aria-selected=true]");

function item(option, at) {
  const made = document.createElement("div");
  made.id = `finder-${at}`;
  made.setAttribute("role", "option");
  made.setAttribute("aria-selected", "false");
  made.dataset.value = option.value;
  made.textContent = option.textContent;
  return made;
}

/** What of the select holds all that is typed, under the names of its groups. */
function show() {
  const words = input.value.toLowerCase().split(/\s+/);
  const found = [...select.options].filter((option) => {
    const name = `${option.parentElement.label ?? ""} ${option.textContent}`.toLowerCase();
    return !option.hidden && words.every((word) => name.includes(word));
  });
  const groups = Map.groupBy(found, (option) => option.parentElement.label ?? "");
  let at = 0;
  list.replaceChildren(
    ...[...groups].map(([name, held]) => {
      const group = document.createElement("div");
      if (name) {
        group.setAttribute("role", "group");
        group.setAttribute("aria-label", name);
        group.append(Object.assign(document.createElement("p"), { textContent: name, ariaHidden: "true" }));
      }
      group.append(...held.map((option) => item(option, at++)));
      return group;
    }),
  );
  const own = options().find((each) => each.dataset.value === select.value);
  light((!input.value && own) || options()[0]);
}

function light(option) {
  active()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) input.setAttribute("aria-activedescendant", option.id);
  else input.removeAttribute("aria-activedescendant");
}

function open(asked, typed = "") {
  select = asked;
  const name = select.labels[0].textContent;
  input.setAttribute("aria-label", `Find: ${name}`);
  input.placeholder = "Type any part of a name";
  list.setAttribute("aria-label", name);
  input.value = typed;
  select.after(finder); // the keyboard goes on from where it is
  finder.showPopover();
  const { left, bottom, width } = select.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const wide = Math.min(room - 16, Math.max(width, 320));
  finder.style.width = `${wide}px`;
  finder.style.left = `${Math.max(8, Math.min(left, room - wide - 8))}px`;
  finder.style.top = `${Math.min(bottom + 2, innerHeight / 2)}px`;
  finder.style.maxHeight = `${innerHeight - Math.min(bottom + 2, innerHeight / 2) - 8}px`;
  show();
  input.focus();
}

function choose(option) {
  if (!option) return;
  select.value = option.dataset.value;
  finder.hidePopover();
  select.focus();
  for (const kind of ["input", "change"]) select.dispatchEvent(new Event(kind, { bubbles: true }));
}

input.addEventListener("input", (event) => {
  event.stopPropagation(); // a form around it would take it for an answer
  show();
});
input.addEventListener("change", (event) => event.stopPropagation());
input.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter") choose(active());
  if (event.key === "Tab") finder.hidePopover();
  if (event.key === "Escape") select.focus();
  if (step) light(options().at((options().indexOf(active()) + step) % options().length));
  if (step || event.key === "Enter") event.preventDefault();
});
list.addEventListener("click", ({ target }) => choose(target.closest("[role=option]")));

/** Let a select be searched: by a click, or by typing where it has the focus. */
export function findable(asked) {
  if (asked.dataset.findable) return;
  asked.dataset.findable = "";
  asked.addEventListener("mousedown", (event) => event.preventDefault()); // its own list stays away
  asked.addEventListener("click", () => open(asked));
  asked.addEventListener("keydown", (event) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    const opens = key === "Enter" || key === " " || (altKey && key === "ArrowDown");
    if (ctrlKey || metaKey || !(opens || key.length === 1)) return;
    event.preventDefault();
    open(asked, key.length === 1 && key !== " " ? key : "");
  });
}
