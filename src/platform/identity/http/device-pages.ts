import type { Express } from 'express'
import type { DevicePages } from '../domain/ports.ts'

/** The server hands over a finished form; what we need of it is the secret that ties it to the browser. */
const secretIn = (form: string) => /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? ''

/** Pages of the device flow and of errors, printed with our own templates. */
export function devicePages(app: Pick<Express, 'render'>): DevicePages {
  const render = (view: string, locals: object): Promise<string> =>
    new Promise((resolve, reject) => {
      app.render(`platform/oauth/${view}`, locals, (error: Error | null, html?: string) =>
        error ? reject(error) : resolve(html ?? ''),
      )
    })
  return {
    enterCode: (form, wrong) => render('device-code', { xsrf: secretIn(form), wrong }),
    confirmCode: (form, code, app) => render('device-confirm', { xsrf: secretIn(form), code, app }),
    deviceReady: () => render('device-ready', {}),
    error: (error, description) => render('error', { error, description }),
  }
}
