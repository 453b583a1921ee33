// Searches the documentation in the browser. Without this script the contents of each page lead everywhere.
import { searchIndex } from './docs-search-index.js'

const form = document.querySelector('.docs-search')
const field = form.querySelector('input')
const panel = form.querySelector('.docs-found')
const status = form.querySelector('[role="status"]')
const list = form.querySelector('ol')
const shown = 12

let index

form.hidden = false
form.addEventListener('submit', (event) => {
  event.preventDefault()
  list.querySelector('a')?.click()
})
field.addEventListener('input', () => search(field.value.trim()))
field.addEventListener('focus', () => search(field.value.trim()))
list.addEventListener('click', close)
form.addEventListener('focusout', ({ relatedTarget }) => form.contains(relatedTarget) || close())
addEventListener('keydown', moveFocus)

async function search(query) {
  index ??= fetch('/docs/search.json').then(async (answer) => searchIndex(await answer.json()))
  const results = query ? (await index)(query) : []
  if (field.value.trim() !== query) return // typed on meanwhile
  list.replaceChildren(...results.slice(0, shown).map(toItem))
  status.textContent = query && describe(results.length)
  panel.hidden = query === ''
}

const describe = (count) => (count === 0 ? 'Nothing found' : count === 1 ? '1 result' : `${count} results`)

function toItem({ address, page, heading, text }) {
  const link = document.createElement('a')
  link.href = address
  link.append(heading ? element('span', `${page} › `) : '', element('strong', heading || page), element('small', text))
  const item = document.createElement('li')
  item.append(link)
  return item
}

const element = (name, text) => Object.assign(document.createElement(name), { textContent: text.slice(0, 160) })

function close() {
  panel.hidden = true
}

/** A slash begins a search; the arrow keys walk through what was found. */
function moveFocus(event) {
  const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== 'radio'
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    return field.focus()
  }
  if (!form.contains(event.target)) return
  if (event.key === 'Escape') {
    field.value = ''
    field.focus()
    return close()
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const stops = [field, ...list.querySelectorAll('a')]
  stops[stops.indexOf(event.target) + step]?.focus()
}
