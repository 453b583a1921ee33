// Keeps one part of a page up to date: the element with data-live is fetched again and replaced until the answer
// no longer carries data-live. Without JavaScript the page refreshes itself (see refreshSeconds in views/_head.ejs).
const intervalMs = 1000
const longestIntervalMs = 8000

const live = document.querySelector('[data-live]')
if (live?.id) follow(live.id, intervalMs)

function follow(id, waitMs) {
  setTimeout(async () => {
    const current = document.getElementById(id)
    const page = document.hidden ? undefined : await read(current.dataset.live)
    const next = page?.getElementById(id)
    if (page && !next) return location.reload()
    if (next && next.innerHTML !== current.innerHTML) current.replaceWith(next)
    if (next) document.title = page.title || document.title
    if (!next || next.dataset.live) follow(id, next ? intervalMs : Math.min(waitMs * 2, longestIntervalMs))
  }, waitMs)
}

/** The page, or nothing when it could not be read: the caller tries again, less often. */
async function read(address) {
  try {
    const answer = await fetch(address || location.href, { headers: { Accept: 'text/html' } })
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
  } catch {
    return undefined
  }
}
