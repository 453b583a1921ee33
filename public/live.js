// Keeps one part of a page up to date: the content of the element with data-live is fetched again and exchanged until
// the answer no longer carries data-live; an answer without the element means that this page is over.
// Without JavaScript the page refreshes itself (see refreshSeconds in views/_head.ejs).
const intervalMs = 1000
const longestIntervalMs = 8000

const live = document.querySelector('[data-live]')
if (live?.id) follow(live, intervalMs)

function follow(element, waitMs) {
  setTimeout(async () => {
    const page = document.hidden ? undefined : await read(element.dataset.live)
    if (!page) return follow(element, Math.min(waitMs * 2, longestIntervalMs))
    const next = page.getElementById(element.id)
    if (!next) return location.reload()
    // The element itself stays, so that screen readers go on listening to it.
    if (next.innerHTML !== element.innerHTML) element.replaceChildren(...next.childNodes)
    document.title = page.title
    if (next.dataset.live) follow(element, intervalMs)
  }, waitMs)
}

/** Returns undefined if the page could not be read: the caller retries less often. */
async function read(address) {
  try {
    const answer = await fetch(address || location.href, { headers: { Accept: 'text/html' } })
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
  } catch {
    return undefined
  }
}
