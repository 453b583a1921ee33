// The few things of the support console that are nicer with a script; each works without one.

// Search as you type: fetches the search page and shows its results.
const field = document.querySelector('[data-search]')
if (field) searchAsTyped(field, document.getElementById(field.dataset.search))

function searchAsTyped(field, results) {
  let asked = 0
  let timer
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      const turn = ++asked
      const page = await read(`/support/search?q=${encodeURIComponent(field.value)}`)
      // An answer to an older question must not overwrite a newer one's.
      if (turn !== asked) return
      const found = page?.getElementById('results')
      if (found) show(results, found)
      else if (page) location.reload()
    }, 120)
  })
}

// Parts that take longer than the page: fetched once it is there.
for (const part of document.querySelectorAll('[data-load]')) {
  void read(part.dataset.load).then((page) => {
    const loaded = page?.getElementById(part.id)
    if (loaded) show(part, loaded)
  })
}

// The menu closes as menus do: on Escape, and when something else is pressed.
const menu = document.querySelector('.topbar .menu')
document.addEventListener('pointerdown', (event) => {
  if (menu?.open && !menu.contains(event.target)) menu.open = false
})
menu?.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !menu.open) return
  menu.open = false
  menu.querySelector('summary').focus()
})

// Times in the reader's zone. Without a script they are in UTC, and say so.
showLocalTimes(document)

function showLocalTimes(part) {
  for (const time of part.querySelectorAll('time[datetime$="Z"]')) {
    const text = localText(new Date(time.dateTime))
    // "3 min ago" stays, with the time itself as its title.
    if (time.title) time.title = text
    else time.textContent = text
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

// Copy buttons appear only where they work.
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim())
    button.textContent = 'Copied'
  })
}

async function read(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: 'text/html' } })
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
  } catch {
    return undefined
  }
}
