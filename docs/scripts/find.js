// A field that leaves of all tables below it only the rows with the words that are typed, and of headings those with rows.
document.querySelectorAll(".find").forEach(place => {
  const field = document.createElement("input"), told = document.createElement("span");
  field.type = "search";
  field.placeholder = `Find ${place.title}: name, formula, other name`;
  field.setAttribute("aria-label", field.placeholder);
  field.style.cssText = "font:inherit;color:inherit;background:none;border:1px solid;border-radius:4px;padding:.3em .6em;width:min(100%,28em)";
  told.style.marginLeft = ".6em";
  told.setAttribute("role", "status");
  place.removeAttribute("title");
  place.append(field, told);
  const parts = [];
  const after = [...place.parentElement.children].slice([...place.parentElement.children].indexOf(place) + 1);
  for (const each of after) {
    if (/^H\d$/.test(each.tagName)) parts.push({ around: [], rows: [] });
    if (!parts.length) continue;
    parts.at(-1).around.push(each);
    parts.at(-1).rows.push(...(each.matches("tbody tr") ? [each] : each.querySelectorAll("tbody tr")));
  }
  const all = parts.flatMap(part => part.rows);
  const plain = text => text.toLowerCase().replace(/[_-]/g, " ");
  const find = () => {
    const words = plain(field.value).split(/\s+/).filter(Boolean);
    all.forEach(row => { row.hidden = !words.every(word => plain(row.textContent).includes(word)); });
    parts.forEach(part => part.around.forEach(each => { each.hidden = part.rows.length > 0 && part.rows.every(row => row.hidden); }));
    const left = all.filter(row => !row.hidden);
    told.textContent = words.length ? `${left.length} of ${all.length}` : "";
    return left;
  };
  field.addEventListener("input", find);
  field.addEventListener("keydown", event => {
    const link = event.key === "Enter" && find()[0]?.querySelector("a");
    if (link) link.click();
  });
  place.find = find;
});
