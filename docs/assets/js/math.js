// MathJax reads this before it starts. Everything it loads afterwards lies beside it, on this site.
window.MathJax = {
  tex: {
    inlineMath: [["\\(", "\\)"]],
    displayMath: [["\\[", "\\]"]],
  },
  output: { displayOverflow: "scroll" },
  options: { ignoreHtmlClass: ".*", processHtmlClass: "arithmatex" },
  loader: {
    load: ["input/tex", "output/chtml", "a11y/assistive-mml"],
    paths: { fonts: "[mathjax]/fonts" },
  },
};
