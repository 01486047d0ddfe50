// What every page does beside being read: programs are copied, wide tables scroll by keyboard, the place
// that is read is marked in the list of places, and the page behind a link is fetched while it is pointed at.
import "./notes.js";

document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button.copy");
  if (!button) return;
  const program = button.nextElementSibling.cloneNode(true);
  const fields = button.nextElementSibling.querySelectorAll("input, select"); // a clone's are as written
  program.querySelectorAll("input, select").forEach((field, at) => field.replaceWith(fields[at].value));
  await navigator.clipboard.writeText(program.textContent.trimEnd());
  button.textContent = "copied";
  setTimeout(() => (button.textContent = "copy"), 2000);
});

/** A table or program that is wider than its box takes the keyboard's focus. Others need not. */
const widths = new ResizeObserver((changes) => {
  const wide = changes.map(({ target }) => target.scrollWidth > target.clientWidth); // before any change
  changes.forEach(({ target }, at) => {
    if (wide[at]) target.tabIndex = 0;
    else if (target !== document.activeElement) target.removeAttribute("tabindex");
  });
});
for (const box of document.querySelectorAll(".wide, pre > code")) widths.observe(box);

const marks = new Map([...document.querySelectorAll("nav.toc a")].map((link) => [link.hash.slice(1), link]));
const heads = [...document.querySelectorAll("article :is(h2, h3)[id]")];
let waiting = false;
function mark() {
  waiting = false;
  const read = heads.findLast((head) => head.getBoundingClientRect().top < innerHeight / 3);
  for (const [id, link] of marks) link.ariaCurrent = String(id === read?.id);
}
if (marks.size)
  addEventListener(
    "scroll",
    () => {
      if (!waiting) requestAnimationFrame(mark);
      waiting = true;
    },
    { passive: true },
  );

const fetched = new Set([location.pathname]);
document.addEventListener("pointerover", ({ target }) => {
  const link = target.closest?.("a[href]:not([download])");
  if (!link || link.origin !== location.origin || fetched.has(link.pathname)) return;
  fetched.add(link.pathname);
  document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", href: link.pathname }));
});

const menu = document.querySelector("#menu");
menu.addEventListener("click", ({ target }) => target.closest("a") && menu.matches(":popover-open") && menu.hidePopover());
