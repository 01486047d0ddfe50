// Figures that are played: sliders and dragging choose positions, the figure's module of scripts/played,
// translated, draws and says what they give. The first picture is drawn before the figure comes into sight,
// in the place of the static one and as large.
const FOLDER = new URL("../arithmetic/play/", import.meta.url);
const choice = document.querySelector("form.choice");

/** The figures of the card and of the model that a module follows: those chosen in the header, or its own. */
const followed = (python, own) =>
  Promise.all(
    (python.FOLLOWS?.keys() ?? []).map(async (kind) => {
      const slug = choice?.elements[kind].value || own[kind];
      return python.loads(await (await fetch(new URL(`${kind}/${slug}.json`, FOLDER))).text());
    }),
  );

async function play(figure) {
  const name = figure.dataset.play;
  const python = await import(new URL(`${name}.js`, FOLDER));
  const [still, scene, said, form] = ["a.drawing", ".scene", ".said", "form"].map((each) => figure.querySelector(each));
  const sliders = [...form.querySelectorAll("input")];
  const size = () => [still.offsetWidth, still.offsetHeight];
  let [width, height] = size();
  let held = [];

  function draw() {
    for (const each of sliders) {
      const chosen = each.dataset.options.split("|")[each.value];
      each.ariaValueText = each.previousElementSibling.value = chosen;
    }
    const picture = python.draw(width, height, sliders.map(({ value }) => BigInt(value)), ...held);
    scene.innerHTML = `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true">${picture.marks}</svg>`;
    if (said.textContent !== picture.said) said.textContent = picture.said;
  }

  /** The reader changed something: what is printed and what the address says follows. */
  function change() {
    draw();
    const address = new URL(location);
    for (const { name, value, defaultValue, dataset } of sliders) {
      if (value === defaultValue) address.searchParams.delete(name);
      else address.searchParams.set(name, dataset.options.split("|")[value]);
    }
    history.replaceState(history.state, "", address);
    figure.classList.toggle("changed", sliders.some(({ value, defaultValue }) => value !== defaultValue));
  }

  const asked = new URL(location).searchParams;
  for (const each of sliders) {
    const at = each.dataset.options.split("|").indexOf(asked.get(each.name));
    if (at >= 0) each.value = at;
  }
  const follow = async () => {
    held = await followed(python, figure.dataset);
    draw();
  };
  if (python.FOLLOWS && choice) new MutationObserver(follow).observe(choice, { attributeFilter: ["data-shown"] });
  held = await followed(python, figure.dataset);
  scene.hidden = false;
  change();
  figure.classList.add("playing");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", change);
  form.addEventListener("reset", () => setTimeout(change));
  new ResizeObserver(() => {
    const [wide, high] = [figure.offsetWidth, scene.offsetHeight];
    if (wide !== width) [width, height] = [wide, high], draw();
  }).observe(figure);
  if (!python.drag) return;
  scene.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".handle, .dragged")) return;
    event.preventDefault();
    scene.setPointerCapture(event.pointerId);
    sliders.at(-1).focus({ preventScroll: true });
  });
  scene.addEventListener("pointermove", (event) => {
    if (!scene.hasPointerCapture(event.pointerId)) return;
    sliders.at(-1).value = String(python.drag(width, event.clientX - scene.getBoundingClientRect().left));
    change();
  });
}

const near = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen)
      if (isIntersecting) {
        near.unobserve(target);
        play(target);
      }
  },
  { rootMargin: "800px" },
);
for (const figure of document.querySelectorAll("figure.play")) near.observe(figure);
