// Searches apps while the user types: fetches this page with the search text and shows its results. Without JavaScript
// the form is sent.
const field = document.querySelector('[role="search"] input')
let timer
let latest

field?.addEventListener('input', () => {
  clearTimeout(timer)
  timer = setTimeout(() => void search(`?${new URLSearchParams({ q: field.value })}`), 120)
})

async function search(address) {
  latest = address
  const html = await fetch(address, { headers: { Accept: 'text/html' } }).then(
    (answer) => answer.text(),
    () => undefined,
  )
  if (html === undefined || latest !== address) return
  const page = new DOMParser().parseFromString(html, 'text/html')
  // Without results it is another page, for example of an expired session.
  if (!page.getElementById('results')) return location.assign(address)
  history.replaceState(null, '', address)
  document.getElementById('results').replaceChildren(...page.getElementById('results').childNodes)
  document.getElementById('outcome').textContent = page.getElementById('outcome').textContent
}
