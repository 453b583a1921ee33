// Steps of a user who links an account.
import type { Page } from 'playwright-core'
import type { Places } from './running-demo.ts'

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

type At = Pick<Places, 'portal'>
export type FileboxUser = 'first' | 'second'

export async function signInToAcme(page: Page, { portal }: At): Promise<void> {
  await page.goto(`${portal}/sign-in`)
  await button(page, 'Sign in as user@acme.example').click()
  await heading(page, 'Integrations').waitFor()
}

export async function connect(page: Page, at: At): Promise<void> {
  await signInToAcme(page, at)
  await button(page, /^Connect (another )?Filebox/).click()
  await button(page, 'Continue to Filebox').click()
}

export async function signInToFilebox(page: Page, who: FileboxUser): Promise<void> {
  await page.getByLabel('Email address').fill(`${who}@filebox.example`)
  await page.getByLabel('Password').fill(`filebox-${who}`)
  await button(page, 'Sign in').click()
}

export async function linkFilebox(page: Page, at: At, who: FileboxUser): Promise<void> {
  await connect(page, at)
  await signInToFilebox(page, who)
  await button(page, 'Allow').click()
  await page.getByText('Your account is connected').waitFor()
}
