import type { Response } from 'express'
import { expect, test } from 'vitest'
import { installedLanguages } from '../../../../src/onboarding/http/languages.ts'
import { maxPages, redirectPages } from '../../../../src/onboarding/linking/http/pages/redirect.ts'

test('R5: evicts cached redirect pages, oldest first', async () => {
  const { english } = installedLanguages()
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

  for (let at = 0; at <= maxPages; at++) await leaveTo(`host-${at}`)
  await leaveTo(`host-${maxPages}`)
  await leaveTo('host-0')

  expect(rendered).toBe(maxPages + 2)
})

test('Z2: the placeholder of the redirect URL cannot be guessed', async () => {
  const { english } = installedLanguages()
  const placeholders: string[] = []
  const sent: string[] = []
  const render = (_view: string, { url }: { url: string }, done: (error: null, html: string) => void) => {
    placeholders.push(url)
    // A support link that repeats the placeholder of an earlier run.
    done(null, `<a href="${url}"><a href="https://acme.example/?seen=${placeholders[0]}">`)
  }
  const ignore = () => undefined
  const end = (html: string) => void sent.push(html)
  const answer = { app: { render }, setHeader: ignore, set: ignore, vary: ignore, end }
  const way = { url: 'https://provider.example/authorize?state=secret', tenant: undefined }

  await redirectPages('redirect.lead')(answer as unknown as Response, way, english)
  await redirectPages('redirect.lead')(answer as unknown as Response, way, english)

  expect(sent[1]?.split('secret')).toHaveLength(2)
})
