// What people do in the support console, page by page.
import type { Locator, Page } from 'playwright-core'
import { button, type FileboxUser, heading, signInToFilebox } from './filebox-visit.ts'
import type { Places } from './running-demo.ts'
import { takePictures } from './watched-browser.ts'

export type ConsolePerson = 'agent' | 'viewer' | 'admin'

export async function signIn(page: Page, { causeway }: Places, who: ConsolePerson, picture?: string): Promise<void> {
  await page.goto(`${causeway}/support`)
  await heading(page, 'Support console').waitFor()
  if (picture) await takePictures(page, picture)
  await button(page, 'Sign in').click()
  await page.getByLabel('Email').fill(`${who}@causeway.example`)
  await page.getByLabel('Password').fill(`causeway-${who}`)
  await button(page, 'Sign in').click()
  const inside = heading(page, 'Needs attention')
  // Asked once for each person: may the console know who they are?
  await inside.or(button(page, 'Allow')).first().waitFor()
  if (await button(page, 'Allow').isVisible()) await button(page, 'Allow').click()
  await inside.waitFor()
}

/** Opens one of the things that can be done, gives a reason and does it. */
export async function act(page: Page, title: string, press: string, clickCount = 1): Promise<void> {
  const box = page.locator('details', { has: page.getByText(title, { exact: true }) }).last()
  if (!(await box.getByLabel('Reason').isVisible())) await box.locator('summary').click()
  await box.getByLabel('Reason').fill('ticket 17: our files stopped working')
  await box.getByRole('button', { name: press }).click({ clickCount })
}

export async function mintAddress(page: Page): Promise<string> {
  await act(page, 'Create a reconnect link', 'Create link', 2) // as people in a hurry do
  await heading(page, 'Reconnect link').waitFor()
  return page.locator('#address').innerText()
}

/** The user opens the address they were sent, and agrees once more. */
export async function relink(page: Page, address: string, who: FileboxUser): Promise<void> {
  await page.goto(address)
  await button(page, 'Continue to Filebox').click()
  // Whoever is signed in there already is not asked for the password again.
  const allow = button(page, 'Allow')
  await allow.or(page.getByLabel('Password')).first().waitFor()
  if (await page.getByLabel('Password').isVisible()) await signInToFilebox(page, who)
  await allow.click()
}

/** The results that come while one types, when the last letter's are there. */
export async function searchAsTyped(page: Page, text: string): Promise<void> {
  const isLast = (url: string) => new URL(url).searchParams.get('q') === text
  const answered = page.waitForResponse((answer) => isLast(answer.url()))
  await page.getByLabel('Search').pressSequentially(text)
  await (await answered).finished()
}

/** From the search to an address on the screen, without a mouse. */
export async function mintByKeyboard(page: Page, text: string): Promise<string> {
  const { keyboard } = page
  await tabTo(page, page.getByLabel('Search'))
  await keyboard.type(text)
  // On to a page of results: those that come while one types are exchanged at each letter, and the focus with them.
  await keyboard.press('Enter')
  await heading(page, 'Search').waitFor()
  await tabTo(page, page.getByRole('link', { name: /^filebox-/ }).first())
  await keyboard.press('Enter')
  const box = page.locator('details', { has: page.getByText('Create a reconnect link', { exact: true }) }).last()
  await tabTo(page, box.locator('summary'))
  await keyboard.press('Enter')
  await tabTo(page, box.getByLabel('Reason'))
  await keyboard.type('ticket 18')
  await tabTo(page, box.getByRole('button', { name: 'Create link' }))
  await keyboard.press('Enter')
  await tabTo(page, button(page, 'Copy'))
  return page.locator('#address').innerText()
}

/** Goes on with the Tab key alone until this has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor()
  for (let steps = 0; steps < 80; steps++) {
    if ((await wanted.and(page.locator(':focus')).count()) === 1) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the Tab key does not lead there')
}
