import type { Express } from 'express'
import type { CodeProblem, DevicePages } from '../domain/ports.ts'

/** The server passes a complete form. Only its CSRF token is needed. */
const secretIn = (form: string) => /name="xsrf" value="([^"]*)"/.exec(form)?.[1] ?? ''

const problems: Record<CodeProblem, { title: string; text: string }> = {
  unknown: { title: 'Unknown code', text: 'Check that it matches the code your device shows.' },
  expired: { title: 'This code has expired', text: 'Get a new one from your device.' },
  used: { title: 'This code has already been used', text: 'If your device is still waiting, get a new one from it.' },
}

export function devicePages(app: Pick<Express, 'render'>): DevicePages {
  const render = (view: string, locals: object): Promise<string> =>
    new Promise((resolve, reject) => {
      app.render(`platform/oauth/${view}`, locals, (error: Error | null, html?: string) =>
        error ? reject(error) : resolve(html ?? ''),
      )
    })
  return {
    enterCode: (form, problem) =>
      render('device-code', { xsrf: secretIn(form), problem: problem && problems[problem] }),
    confirmCode: (form, code, app) => render('device-confirm', { xsrf: secretIn(form), code, app }),
    deviceReady: () => render('device-ready', {}),
    deviceRefused: () => render('device-refused', {}),
    error: (error, description) => render('error', { error, description }),
  }
}
