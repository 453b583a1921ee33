// A headless browser: keeps cookies by host and path, and follows redirects on request.
import { waitFor } from '../oracles/wait-for.ts'
import { type AnswerParts, type RequestParts, send } from './send.ts'

export type Visit = { status: number; url: string; text: string; headers: Headers }

const formType = 'application/x-www-form-urlencoded;charset=UTF-8'

type Cookie = { host: string; path: string; name: string; value: string }

export class HttpBrowser {
  #cookies: Cookie[] = []
  #always: Record<string, string>
  #reach: (url: string) => string

  /** `always`: headers of every request. `reach`: maps a public URL to its real address. */
  constructor(always: Record<string, string> = {}, reach: (url: string) => string = (url) => url) {
    this.#always = always
    this.#reach = reach
  }

  get = (url: string): Promise<Visit> => this.#send(url, { method: 'GET' })

  /** Browsers send the Origin header with every POST. */
  post = (url: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Visit> =>
    this.#send(url, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': formType, Origin: new URL(url).origin, ...headers },
    })

  async upload(url: string, form: FormData): Promise<Visit> {
    const headers = this.#headersFor(url, { Origin: new URL(url).origin })
    const answer = await fetch(this.#reach(url), { method: 'POST', body: form, headers, redirect: 'manual' })
    return this.#taken(url, { status: answer.status, headers: answer.headers, text: await answer.text() })
  }

  /** Not as a navigation. */
  send = (url: string, init: { method?: string; headers?: Record<string, string> }): Promise<Visit> =>
    this.#send(url, init)

  cookiesFor = (url: string): string => this.#cookiesFor(url)

  /** Adds cookies as another tab would. */
  keep = (url: string, lines: readonly string[]): void => lines.forEach((line) => void this.#keep(url, line))

  /**
   * Follows redirects and Refresh headers until a page stays, or until the URL starts with `stop`. The progress page of
   * a pending link does not count as staying.
   */
  async follow(visited: Visit, stop?: string): Promise<Visit> {
    let at = visited
    for (let hops = 0; hops < 20; hops++) {
      const next = nextAddress(at)
      if (!next) return at
      if (stop && next.startsWith(stop)) return { ...at, url: next }
      at = await this.#whenWorkedOn(next)
    }
    throw new Error('the pages lead in a circle')
  }

  #whenWorkedOn = (url: string): Promise<Visit> =>
    waitFor('the link came to an end, or to something it has to wait for', async () => {
      const visited = await this.get(url)
      return !isWorkedOn(visited) && visited
    })

  async #send(url: string, init: RequestParts): Promise<Visit> {
    return this.#taken(url, await send(this.#reach(url), { ...init, headers: this.#headersFor(url, init.headers) }))
  }

  #headersFor(url: string, headers: Record<string, string> = {}): Record<string, string> {
    return { ...this.#always, ...headers, Cookie: this.#cookiesFor(url), Accept: 'text/html' }
  }

  #taken(url: string, answer: AnswerParts): Visit {
    for (const line of answer.headers.getSetCookie()) this.#keep(url, line)
    return { ...answer, url }
  }

  #cookiesFor(url: string): string {
    const { hostname, pathname } = new URL(url)
    const fitting = this.#cookies.filter(({ host, path }) => host === hostname && pathname.startsWith(path))
    return fitting.map(({ name, value }) => `${name}=${value}`).join('; ')
  }

  #keep(url: string, line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    const attribute = (key: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${key}=`))?.split('=')[1]
    const cookie = { host: new URL(url).hostname, path: attribute('path') ?? '/', name, value }
    const others = this.#cookies.filter((kept) => !(kept.name === name && kept.path === cookie.path))
    const expires = attribute('expires')
    this.#cookies = value === '' || (expires && new Date(expires) < new Date()) ? others : [...others, cookie]
  }
}

/** A progress page that waits for no one. */
const isWorkedOn = ({ url, text }: Visit): boolean =>
  /\/links\/lnk_\w+$/.test(url) && text.includes('id="progress"') && !/class="(notice|button)"/.test(text)

function nextAddress({ url, headers }: Visit): string | undefined {
  const refresh = /^\d+;\s*url=(.+)$/i.exec(headers.get('refresh') ?? '')?.[1]
  const target = headers.get('location') ?? refresh
  return target ? new URL(target, url).href : undefined
}
