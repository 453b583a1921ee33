// The few things of the support console that are nicer with a script; each works without one.

// Search as you type: fetches the search page and shows its results, on that page or below the field.
const field = document.querySelector('.topbar [name="q"]')
if (field) searchAsTyped(field, document.getElementById('results') ?? addPanel(field.form))

function addPanel(form) {
  const panel = document.createElement('div')
  panel.className = 'search-panel stack'
  panel.hidden = true
  panel.setAttribute('role', 'region')
  panel.setAttribute('aria-label', 'Results')
  panel.setAttribute('aria-live', 'polite')
  form.append(panel)
  document.addEventListener('pointerdown', ({ target }) => {
    if (!form.contains(target)) panel.hidden = true
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') panel.hidden = true
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') step(event, panel)
  })
  field.addEventListener('focus', () => {
    panel.hidden = panel.childElementCount === 0
  })
  return panel
}

/** Arrow keys move between the field and the main link of each result. */
function step(event, panel) {
  const stops = [field, ...panel.querySelectorAll('li > div:first-of-type > a')]
  const at = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
  stops[Math.min(Math.max(at, 0), stops.length - 1)].focus()
  event.preventDefault()
}

function searchAsTyped(field, results) {
  let asked = 0
  let timer
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      const turn = ++asked
      const page = await read(`/support/search?suggest=yes&q=${encodeURIComponent(field.value)}`)
      // An answer to an older question must not overwrite a newer one's.
      if (turn !== asked) return
      const found = page?.getElementById('results')
      if (found) show(results, found)
      else if (page) location.reload()
      results.hidden = field.value.trim() === '' && results.classList.contains('search-panel')
    }, 120)
  })
}

// "/" and Ctrl-K lead to the search, as in other consoles.
document.addEventListener('keydown', (event) => {
  const isSlash = event.key === '/' && !event.target.closest?.('input, select, textarea, [contenteditable]')
  const isCtrlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
  if (!field || (!isSlash && !isCtrlK)) return
  event.preventDefault()
  field.focus()
  field.select()
})

// On a phone the places scroll sideways.
document.querySelector('.topbar [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })

// Filters apply when they change. Empty ones stay out of the address.
for (const form of document.querySelectorAll('form[data-apply]')) {
  form.addEventListener('change', () => form.requestSubmit())
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
}

// Parts that take longer than the page: fetched once it is there.
for (const part of document.querySelectorAll('[data-load]')) {
  void read(part.dataset.load).then((page) => {
    const loaded = page?.getElementById(part.id)
    if (loaded) show(part, loaded)
  })
}

// Times in the reader's zone, with UTC as their title. Without a script they are in UTC, and say so.
showLocalTimes(document)

function showLocalTimes(part) {
  for (const time of part.querySelectorAll('time[datetime$="Z"]')) {
    const text = localText(new Date(time.dateTime))
    // "3 min ago" stays, with both times as its title.
    const utc = time.title || time.textContent
    if (!time.title) time.textContent = text
    time.title = `${text}, ${utc}`
  }
}

function localText(at) {
  const digits = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }
  const format = new Intl.DateTimeFormat('en-GB', { ...digits, hourCycle: 'h23', timeZoneName: 'short' })
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, second, timeZoneName } = part
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`
}

function show(place, loaded) {
  showLocalTimes(loaded)
  place.replaceChildren(...loaded.childNodes)
}

// A double click sends a form once: only the second of two answers is seen, and a secret in the first would be lost.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = 'yes'
  // An answer that is a file leaves the page as it is.
  setTimeout(() => delete form.dataset.sent, 3_000)
})

async function read(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: 'text/html' } })
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
  } catch {
    return undefined
  }
}
