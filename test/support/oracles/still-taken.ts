import { waitFor } from './wait-for.ts'

/** When the last request that was still let in had been sent: a slow answer says nothing about the memory of credentials. */
export async function stillTakenForMs(use: () => PromiseLike<{ status: number }>): Promise<number> {
  const since = performance.now()
  let lastTaken = 0
  await waitFor('the credential is refused', async () => {
    const sent = performance.now() - since
    const { status } = await use()
    if (status === 200) lastTaken = sent
    return status === 401
  })
  return lastTaken
}
