import type { Express } from 'express'
import type { CodeTrouble, DevicePages } from '../domain/ports.ts'

/** The server hands over a finished form; what we need of it is the secret that ties it to the browser. */
const secretIn = (form: string) => /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? ''

const troubles: Record<CodeTrouble, { title: string; text: string }> = {
  unknown: { title: 'We do not know this code', text: 'Compare it with what the device shows, sign by sign.' },
  expired: { title: 'This code has expired', text: 'Ask the device for a new one.' },
  used: { title: 'This code was used already', text: 'If your device is still waiting, ask it for a new one.' },
}

/** Pages of the device flow and of errors, printed with our own templates. */
export function devicePages(app: Pick<Express, 'render'>): DevicePages {
  const render = (view: string, locals: object): Promise<string> =>
    new Promise((resolve, reject) => {
      app.render(`platform/oauth/${view}`, locals, (error: Error | null, html?: string) =>
        error ? reject(error) : resolve(html ?? ''),
      )
    })
  return {
    enterCode: (form, trouble) =>
      render('device-code', { xsrf: secretIn(form), trouble: trouble && troubles[trouble] }),
    confirmCode: (form, code, app) => render('device-confirm', { xsrf: secretIn(form), code, app }),
    deviceReady: () => render('device-ready', {}),
    deviceRefused: () => render('device-refused', {}),
    error: (error, description) => render('error', { error, description }),
  }
}
