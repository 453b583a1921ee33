import type { HttpBrowser } from '../http/http-browser.ts'
import type { ConsoleWorld } from './console-world.ts'

/** Every kind of page that links lead to. */
export async function consolePages(
  world: Pick<ConsoleWorld, 'open'>,
  browser: HttpBrowser,
  further: readonly string[] = [],
): Promise<Map<string, string>> {
  const [found, kinds] = [new Map<string, string>(), new Set<string>()]
  const open = ['', ...further]
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const answer = await world.open(browser, path)
    found.set(path, answer.text)
    for (const [, next = ''] of answer.text.matchAll(/<a [^>]*href="\/support([^"#]*)/g)) {
      const kind = next.replaceAll(/\b(?:con|lnk|ses|dlv|whk|cmp)_\w+/g, '…').replaceAll(/=[^&]*/g, '=…')
      if (/sign-in|sign-out|\.csv|function$/.test(next) || kinds.has(kind)) continue
      kinds.add(kind)
      open.push(next.replaceAll('&amp;', '&'))
    }
  }
  return found
}
