// Steps of people in the support console.
import type { Locator, Page } from 'playwright-core'
import { button, type FileboxUser, heading, signInToFilebox } from './filebox-visit.ts'
import type { Places } from './running-demo.ts'

export type ConsolePerson = 'agent' | 'viewer' | 'admin'

export async function signIn(page: Page, { causeway }: Places, who: ConsolePerson): Promise<void> {
  await page.goto(`${causeway}/support`)
  await page.getByLabel('Email').fill(`${who}@causeway.example`)
  await page.getByLabel('Password').fill(`causeway-${who}`)
  await button(page, 'Sign in').click()
  await heading(page, 'Overview').waitFor()
}

/** Opens an action, gives a reason and runs it. */
export async function act(page: Page, title: string, press: string, clickCount = 1): Promise<void> {
  const box = page.locator('details', { has: page.getByText(title, { exact: true }) }).last()
  if (!(await box.getByLabel('Reason').isVisible())) await box.locator('summary').click()
  await box.getByLabel('Reason').fill('ticket 17: our files stopped working')
  await box.getByRole('button', { name: press }).click({ clickCount })
}

export async function mintAddress(page: Page): Promise<string> {
  await act(page, 'Create a reconnect link', 'Create link', 2) // a double click
  await heading(page, 'Reconnect link').waitFor()
  return page.locator('#address').innerText()
}

/** The user opens the reconnect link and consents again. */
export async function relink(page: Page, address: string, who: FileboxUser): Promise<void> {
  await page.goto(address)
  await button(page, 'Continue to Filebox').click()
  // A user who is signed in already is not asked for the password.
  const allow = button(page, 'Allow')
  await allow.or(page.getByLabel('Password')).first().waitFor()
  if (await page.getByLabel('Password').isVisible()) await signInToFilebox(page, who)
  await allow.click()
}

/** Waits for the suggestions of the last letter. */
export async function searchAsTyped(page: Page, text: string): Promise<void> {
  const isLast = (url: string) => new URL(url).searchParams.get('q') === text
  const answered = page.waitForResponse((answer) => isLast(answer.url()))
  await page.getByLabel('Search').pressSequentially(text)
  await (await answered).finished()
}

/** From the search to a reconnect link, by keyboard. */
export async function mintByKeyboard(page: Page, text: string): Promise<string> {
  const { keyboard } = page
  await tabTo(page, page.getByLabel('Search'))
  await keyboard.type(text)
  // The page of results: suggestions are replaced at each letter, which loses the focus.
  await keyboard.press('Enter')
  await heading(page, 'Search').waitFor()
  await tabTo(page, page.getByRole('link', { name: 'Filebox', exact: true }).first())
  await keyboard.press('Enter')
  const box = page.locator('details', { has: page.getByText('Create a reconnect link', { exact: true }) }).last()
  await tabTo(page, box.locator('summary'))
  await keyboard.press('Enter')
  await tabTo(page, box.getByLabel('Reason'))
  await keyboard.type('ticket 18')
  await tabTo(page, box.getByRole('button', { name: 'Create link' }))
  await keyboard.press('Enter')
  await tabTo(page, button(page, 'Copy link'))
  return page.locator('#address').innerText()
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor()
  for (let steps = 0; steps < 80; steps++) {
    if ((await wanted.and(page.locator(':focus')).count()) === 1) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the Tab key does not lead there')
}
