// MathJax reads this before it starts. Everything it loads afterwards lies beside it, on this site.
window.MathJax = {
  tex: {
    inlineMath: [["\\(", "\\)"]],
    displayMath: [["\\[", "\\]"]],
    packages: { "[-]": ["noundefined"] }, // a misspelt macro is an error, not red letters
  },
  output: { displayOverflow: "scroll" },
  options: { ignoreHtmlClass: ".*", processHtmlClass: "arithmatex" },
  loader: {
    load: ["input/tex", "output/chtml", "a11y/assistive-mml"],
    paths: { fonts: "[mathjax]/fonts" },
  },
  startup: {
    ready() {
      // assistive-mml leaves a setting for the menu, which is not loaded and would be warned about.
      delete MathJax.config.options.menuOptions;
      MathJax.startup.defaultReady();
    },
  },
};
