// A program with its support console and signed-in users.

import {
  type ConsoleIssuerDouble,
  consoleClient,
  type Person,
  people,
  startConsoleIssuer,
} from '../doubles/console-issuer.ts'
import { HttpBrowser, type Visit } from '../http/http-browser.ts'
import { type AttackWorld, startAttackWorld } from './attack-world.ts'
import type { WorldOptions } from './onboarding-world.ts'

export type ConsoleWorld = AttackWorld & {
  issuer: ConsoleIssuerDouble
  signIn(person?: Person, browser?: HttpBrowser): Promise<HttpBrowser>
  open(browser: HttpBrowser, path: string): Promise<Visit>
  /** Sends a form with the session’s CSRF token. */
  send(browser: HttpBrowser, path: string, fields?: Record<string, string>): Promise<Visit>
  /** Sends the form with this action, hidden fields included. */
  press(browser: HttpBrowser, page: string, action: string, fields?: Record<string, string>): Promise<Visit>
}

export async function startConsoleWorld(options: WorldOptions = {}): Promise<ConsoleWorld> {
  const issuer = await startConsoleIssuer()
  const world = await startAttackWorld({
    ...options,
    env: {
      CONSOLE_ISSUER: issuer.url,
      CONSOLE_CLIENT_ID: consoleClient.id,
      CONSOLE_CLIENT_SECRET: consoleClient.secret,
      CONSOLE_SIGN_INS: '100000',
      ...options.env,
    },
  })
  const open = (browser: HttpBrowser, path: string) => browser.get(`${world.url}/support${path}`)
  return {
    ...world,
    issuer,
    open,
    async signIn(person = people.agent, browser = new HttpBrowser()) {
      issuer.person = person
      const landed = await browser.follow(await open(browser, '/sign-in/start'))
      if (landed.status !== 200) throw new Error(`not signed in: ${landed.status}`)
      return browser
    },
    async send(browser, path, fields = {}) {
      const csrf = formTokenIn((await open(browser, '/account')).text)
      return browser.post(`${world.url}/support${path}`, { csrf, ...fields })
    },
    async press(browser, page, action, fields = {}) {
      const forms = formsIn((await open(browser, page)).text)
      const form = forms.find((each) => each.action === `/support${action}`)
      if (!form) throw new Error(`${page} has no form for ${action}`)
      return browser.post(`${world.url}${form.action}`, { ...form.fields, ...fields })
    },
    async close() {
      await world.close()
      await issuer.close()
    },
  }
}

type Form = { action: string; fields: Record<string, string> }

export const formsIn = (html: string): Form[] =>
  [...html.matchAll(/<form[^>]* action="([^"]+)"[\s\S]*?<\/form>/g)].map(([form, action = '']) => ({
    action,
    fields: Object.fromEntries(
      [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    ),
  }))

export const formTokenIn = (html: string): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
