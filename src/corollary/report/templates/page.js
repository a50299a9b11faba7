(function () {
  "use strict";
  const all = (what, where) => Array.from((where || document).querySelectorAll(what));
  const one = (what, where) => (where || document).querySelector(what);
  const data = JSON.parse(one("#findings").textContent);
  document.documentElement.classList.add("js");

  // sections that open and close
  function fold(block, open) {
    block.classList.toggle("closed", !open);
    one(".fold", block).setAttribute("aria-expanded", String(open));
  }
  all(".block").forEach((block) => {
    fold(block, !("closed" in block.dataset));
    one(".fold", block).addEventListener("click", () =>
      fold(block, block.classList.contains("closed")));
  });
  all("[data-all]").forEach((button) => button.addEventListener("click", () =>
    all(".block").forEach((block) => fold(block, button.dataset.all === "open"))));
  function reveal() {
    const block = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (block && block.classList.contains("block")) fold(block, true);
  }
  window.addEventListener("hashchange", reveal);
  reveal();
  all(".contents a").forEach((link) => link.addEventListener("click", () => {
    const block = document.getElementById(link.hash.slice(1));
    if (block && block.classList.contains("block")) fold(block, true);
  }));
  window.addEventListener("beforeprint", () =>
    all("details").forEach((part) => { part.open = true; }));

  // where the reader is
  if ("IntersectionObserver" in window) {
    const links = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
    const seen = new Set();
    const watch = new IntersectionObserver((entries) => {
      entries.forEach((entry) => (entry.isIntersecting
        ? seen.add(entry.target.id) : seen.delete(entry.target.id)));
      const now = Array.from(links.keys()).find((id) => seen.has(id));
      links.forEach((link, id) => link.classList.toggle("here", id === now));
    }, { rootMargin: "-10% 0px -60% 0px" });
    all(".hero, .block").forEach((block) => watch.observe(block));
  }

  // all columns of the data
  all("[data-more]").forEach((button) => button.addEventListener("click", () => {
    one(".columns").classList.add("all");
    button.parentNode.remove();
  }));

  // a table that sorts
  all(".models").forEach((table) => {
    const heads = all("thead th", table);
    heads.forEach((head, place) => {
      const button = one("button", head);
      if (!button) return;
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const value = (row) => row.children[place].dataset.value;
        const numeric = button.dataset.sort !== "name";
        const rows = all("tbody tr", table).sort((a, b) => {
          const x = value(a), y = value(b);
          if (x === "" || y === "") return (x === "") - (y === "");
          const order = numeric ? Number(x) - Number(y) : x.localeCompare(y);
          return up ? order : -order;
        });
        one("tbody", table).append(...rows);
      });
    });
  });

  // worst examples
  all("#worst .body").forEach((body) => {
    const rows = all(".worst > li", body);
    const text = one('[data-filter="text"]', body);
    const kind = one('[data-filter="class"]', body);
    const letters = rows.map((row) => row.textContent.toLowerCase());
    const narrow = () => {
      const wanted = text.value.trim().toLowerCase();
      let found = 0;
      rows.forEach((row, i) => {
        const fits = letters[i].includes(wanted)
          && (!kind || kind.value === "" || row.dataset["class"] === kind.value);
        row.hidden = !fits;
        found += fits;
      });
      one(".found", body).textContent = found === rows.length ? "" : found + " of " + rows.length;
    };
    text.addEventListener("input", narrow);
    if (kind) kind.addEventListener("change", narrow);
  });

  // one row explained
  all('[data-choose="example"]').forEach((choice) => choice.addEventListener("change", () =>
    all("[data-example]").forEach((part) =>
      part.classList.toggle("later", part.dataset.example !== choice.value))));

  // numbers as on the rest of the page
  const short = (value, digits) => {
    if (!isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size === 0) return "0";
    const decimals = Math.max(0, Math.min(12, digits - 1 - Math.floor(Math.log10(size))));
    const written = value.toLocaleString("en-US", { maximumFractionDigits: decimals });
    return written.replace("-", "−");
  };
  const share = (value) => {
    if (!isFinite(value)) return "–";
    const percent = 100 * value;
    if (percent === 0 || percent === 100) return percent + "%";
    if (percent < 0.05) return "<0.1%";
    if (percent > 99.95) return ">99.9%";
    return percent.toFixed(1) + "%";
  };

  // the threshold and what it costs
  all("[data-thresholds]").forEach((box) => {
    const table = data.thresholds;
    const outcomes = ["true_positive", "false_positive", "false_negative", "true_negative"];
    const slider = one('input[type="range"]', box);
    const out = (name, text) => { one('[data-out="' + name + '"]', box).textContent = text; };
    const part = (name) => one('[data-part="' + name + '"]', box);
    const drawing = one("svg.chart", box);
    const low = Number(drawing.dataset.low), high = Number(drawing.dataset.high);
    const across = (i) => (table.threshold[i] - low) / (high - low);
    let best = 0;
    const cost = (name) => {
      const value = Number(one('[data-cost="' + name + '"]', box).value);
      return isFinite(value) ? value : 0;
    };
    const price = () => {
      const costs = outcomes.map(cost);
      return table.threshold.map((_, i) =>
        outcomes.reduce((sum, name, k) => sum + costs[k] * table[name][i], 0));
    };
    function redraw() {
      const prices = price();
      const least = Math.min(...prices), most = Math.max(...prices);
      best = prices.indexOf(least);
      const tall = (i) => 0.06 + 0.86 * (prices[i] - least) / ((most - least) || 1);
      part("curve").setAttribute("d", "M" + prices.map((_, i) =>
        (1000 * across(i)).toFixed(1) + " " + (1000 * (1 - tall(i))).toFixed(1)).join("L"));
      part("best").setAttribute("cx", (100 * across(best)).toFixed(2) + "%");
      part("best").setAttribute("cy", (100 * (1 - tall(best))).toFixed(2) + "%");
      out("cheapest", short(table.threshold[best], 3));
      move(prices);
    }
    function move(prices) {
      const i = Number(slider.value);
      const at = (100 * across(i)).toFixed(2) + "%";
      part("now").setAttribute("x1", at);
      part("now").setAttribute("x2", at);
      const [tp, fp, fn, tn] = outcomes.map((name) => table[name][i]);
      outcomes.forEach((name) => {
        one('[data-count="' + name + '"]', box).textContent = table[name][i].toLocaleString("en-US");
      });
      const rows = tp + fp + fn + tn;
      const text = short(table.threshold[i], 3);
      out("threshold", text);
      slider.setAttribute("aria-valuetext", text);
      out("precision", share(tp / (tp + fp)));
      out("recall", share(tp / (tp + fn)));
      out("flagged", share((tp + fp) / rows));
      out("cost", short(1000 * (prices || price())[i] / rows, 4));
    }
    slider.addEventListener("input", () => move());
    all("[data-cost]", box).forEach((input) => input.addEventListener("input", redraw));
    one("[data-go]", box).addEventListener("click", () => { slider.value = String(best); move(); });
    redraw();
  });

  // words beside the pointer
  const tip = one("#tip");
  const place = (event) => {
    const target = event.target.closest && event.target.closest("[data-tip]");
    tip.hidden = !target;
    if (!target) return;
    tip.textContent = target.dataset.tip;
    const box = tip.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    const left = Math.min(Math.max(event.clientX - box.width / 2, 8), wide - box.width - 8);
    const above = event.clientY - box.height - 14;
    tip.style.left = left + "px";
    tip.style.top = (above > 4 ? above : event.clientY + 20) + "px";
  };
  document.addEventListener("pointermove", place);
  document.addEventListener("pointerdown", place);
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
})();
