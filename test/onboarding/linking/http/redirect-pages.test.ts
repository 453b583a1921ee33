import type { Response } from 'express'
import { expect, test } from 'vitest'
import { installedLanguages } from '../../../../src/onboarding/http/languages.ts'
import { mostPages, redirectPages } from '../../../../src/onboarding/linking/http/pages/redirect.ts'

test('R5: pages that lead to any number of hosts are forgotten again, the oldest first', async () => {
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

  for (let at = 0; at <= mostPages; at++) await leaveTo(`host-${at}`)
  await leaveTo(`host-${mostPages}`)
  await leaveTo('host-0')

  expect(rendered).toBe(mostPages + 2)
})

test('Z2: nobody can know the text in whose place the address is put, and write it into a page', async () => {
  const { english } = installedLanguages()
  const placeholders: string[] = []
  const sent: string[] = []
  const render = (_view: string, { url }: { url: string }, done: (error: null, html: string) => void) => {
    placeholders.push(url)
    // As a tenant's link to its support would be that repeats what stood there when the program ran before.
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
