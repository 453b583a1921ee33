import type { Adapters } from './adapters.ts'

/** How long an event and what became of its messages can be looked up and replayed. */
const eventDays = 30

/** What nobody will ask for again goes, so that the ledger does not grow for ever. The audit stays. */
export const forgetOld =
  ({ idempotency, deliveries }: Pick<Adapters, 'idempotency' | 'deliveries'>) =>
  async (): Promise<void> => {
    await idempotency.forgetOld()
    while ((await deliveries.forgetOld(eventDays, batch)) === batch);
  }

// Small enough for a statement to end well before its time is up.
const batch = 1_000
