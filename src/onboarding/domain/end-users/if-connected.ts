// What becomes of a first link whose user has linked the same account before; admission.ts decides it.

/** `add`: a connection more. `relink`: the one that is there gets the new grant. `refuse`: the link fails. */
export const ifConnectedModes = ['add', 'relink', 'refuse'] as const
export type IfConnected = (typeof ifConnectedModes)[number]
