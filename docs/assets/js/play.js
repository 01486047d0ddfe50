// Figures that are played, and exercises that take a guess first. Figures: sliders and dragging choose positions, the figure's module of scripts/played,
// translated, draws and says what they give. The first picture is drawn before the figure comes into sight,
// in the place of the static one and as large.
const FOLDER = new URL("../arithmetic/play/", import.meta.url);
const choice = document.querySelector("form.choice");

const options = ({ dataset }) => dataset.options.split("|");
const option = (slider) => options(slider)[slider.value];

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
  let [width, height] = [still.offsetWidth, still.offsetHeight];
  let held = [];

  function draw() {
    for (const each of sliders) each.ariaValueText = each.previousElementSibling.textContent = option(each);
    const picture = python.draw(width, height, sliders.map(({ value }) => BigInt(value)), ...held);
    scene.innerHTML = `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true">${picture.marks}</svg>`;
    if (said.textContent !== picture.said) said.textContent = picture.said;
    // What is printed: the static figure, or the reader's own.
    figure.classList.toggle("changed", sliders.some(({ value, defaultValue }) => value !== defaultValue));
  }

  /** The address leads to what is drawn. */
  function share() {
    const address = new URL(location);
    for (const each of sliders) {
      if (each.value === each.defaultValue) address.searchParams.delete(each.name);
      else address.searchParams.set(each.name, option(each));
    }
    history.replaceState(history.state, "", address);
  }

  const asked = new URL(location).searchParams;
  for (const each of sliders) {
    const at = options(each).indexOf(asked.get(each.name));
    if (at >= 0) each.value = at;
  }
  let last = 0;
  async function follow() {
    const turn = ++last;
    const found = await followed(python, figure.dataset);
    if (turn !== last) return; // the reader chose again meanwhile
    held = found;
    draw();
  }
  if (python.FOLLOWS && choice) new MutationObserver(follow).observe(choice, { attributeFilter: ["data-shown"] });
  await follow();
  scene.hidden = false;
  figure.classList.add("playing");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", draw);
  form.addEventListener("change", share);
  form.addEventListener("reset", () => setTimeout(() => (draw(), share())));
  new ResizeObserver(() => {
    if (figure.offsetWidth === width) return;
    width = figure.offsetWidth;
    draw();
  }).observe(figure);
  if (!python.drag) return;
  const dragged = sliders.at(-1);
  scene.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".handle")) return;
    event.preventDefault();
    scene.setPointerCapture(event.pointerId);
    dragged.focus({ preventScroll: true });
  });
  scene.addEventListener("pointermove", (event) => {
    if (!scene.hasPointerCapture(event.pointerId)) return;
    dragged.value = String(python.drag(width, event.clientX - scene.getBoundingClientRect().left));
    draw();
  });
  scene.addEventListener("lostpointercapture", share);
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

addEventListener("submit", async (event) => {
  const form = event.target.closest("form.guess");
  if (!form) return;
  event.preventDefault();
  const input = form.querySelector("input");
  const output = form.querySelector("output");
  const guess = Number(input.value.replace(/[,\s%]/g, "") || NaN);
  input.ariaInvalid = String(Number.isNaN(guess));
  const { verdict } = await import(new URL("guess.js", FOLDER));
  output.textContent = Number.isNaN(guess) ? "Write a number." : verdict(guess, Number(form.dataset.answer));
  if (!Number.isNaN(guess)) form.nextElementSibling.open = true;
});
