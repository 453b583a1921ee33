// Searches the documentation in the browser. Without this script the contents of each page lead everywhere.
import MiniSearch from '/assets/vendor/minisearch.js'

const form = document.querySelector('.docs-search')
const field = form.querySelector('input')
const status = form.querySelector('[role="status"]')
const found = form.querySelector('.found')
const shown = 12

let index

form.hidden = false
form.addEventListener('submit', (event) => {
  event.preventDefault()
  found.querySelector('a')?.click()
})
field.addEventListener('input', () => search(field.value.trim()))
addEventListener('keydown', moveFocus)

async function search(query) {
  index ??= readIndex()
  const results = query ? (await index).search(query) : []
  if (field.value.trim() !== query) return // typed on meanwhile
  found.replaceChildren(...results.slice(0, shown).map(toItem))
  status.textContent = query && describe(results.length)
}

const describe = (count) => (count === 0 ? 'Nothing found' : count === 1 ? '1 result' : `${count} results`)

async function readIndex() {
  const answer = await fetch('/docs/search.json')
  const passages = await answer.json()
  const search = new MiniSearch({
    idField: 'address',
    fields: ['heading', 'page', 'text'],
    storeFields: ['page', 'heading'],
    searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  })
  search.addAll(passages)
  return search
}

function toItem({ id, page, heading }) {
  const link = document.createElement('a')
  link.href = id
  link.textContent = heading || page
  const item = document.createElement('li')
  item.append(link)
  if (heading) item.append(` ${page}`)
  return item
}

/** A slash begins a search; the arrow keys walk through what was found. */
function moveFocus(event) {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    return field.focus()
  }
  if (!form.contains(event.target)) return
  if (event.key === 'Escape') {
    field.value = ''
    field.focus()
    return search('')
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const stops = [field, ...found.querySelectorAll('a')]
  stops[stops.indexOf(event.target) + step]?.focus()
}
