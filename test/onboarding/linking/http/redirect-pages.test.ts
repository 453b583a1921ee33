import type { Response } from 'express'
import { expect, test } from 'vitest'
import { readMessages } from '../../../../src/kit/messages/read-messages.ts'
import { createLanguages } from '../../../../src/onboarding/http/languages.ts'
import { mostPages, redirectPages } from '../../../../src/onboarding/linking/http/pages/redirect.ts'

test('R5: pages that lead to any number of hosts are forgotten again, the oldest first', async () => {
  const { english } = createLanguages(readMessages())
  let rendered = 0
  const render = (_view: string, { url }: { url: string }, done: (error: null, html: string) => void) => {
    rendered += 1
    done(null, `<a href="${url}">`)
  }
  const ignore = () => undefined
  const answer = { app: { render }, setHeader: ignore, set: ignore, vary: ignore, end: ignore }
  const leave = redirectPages('redirect.lead')
  const leaveTo = (host: string) =>
    leave(answer as unknown as Response, { url: `https://${host}.example/authorize`, tenant: undefined }, english)

  for (let at = 0; at <= mostPages; at++) await leaveTo(`host-${at}`)
  await leaveTo(`host-${mostPages}`)
  await leaveTo('host-0')

  expect(rendered).toBe(mostPages + 2)
})
