import type { HttpBrowser } from '../support/http/http-browser.ts'

/** From the connect page through the test page to the return URL. */
export async function approve(browser: HttpBrowser, url: string, stop: string): Promise<string> {
  const visited = await browser.follow(await browser.post(url), stop)
  const [, href = ''] = /<a [^>]*href="([^"]*outcome=approved)"/.exec(visited.text) ?? []
  const chosen = await browser.get(new URL(href.replaceAll('&amp;', '&'), visited.url).href)
  return (await browser.follow(chosen, stop)).url
}
