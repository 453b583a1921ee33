import { createHash, timingSafeEqual } from 'node:crypto'

type Account = { id: string; email: string; name: string }

/** The demo prints these passwords. */
export const demoAccounts: ReadonlyArray<Account & { password: string }> = [
  { id: 'account-1', email: 'first@filebox.example', name: 'First Account', password: 'filebox-first' },
  { id: 'account-2', email: 'second@filebox.example', name: 'Second Account', password: 'filebox-second' },
]

export const accountById = (id: string): Account | undefined => demoAccounts.find((account) => account.id === id)

export function accountFor(email: string, password: string): Account | undefined {
  const account = demoAccounts.find((candidate) => candidate.email === email.trim().toLowerCase())
  return account && sameText(account.password, password) ? account : undefined
}

/** Hashes first: timingSafeEqual needs equal lengths. */
function sameText(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return Boolean(first && second && timingSafeEqual(first, second))
}
