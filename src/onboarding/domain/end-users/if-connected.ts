/** `add`: another connection. `relink`: the existing one gets the new grant. `refuse`: the link fails. */
export const ifConnectedModes = ['add', 'relink', 'refuse'] as const
export type IfConnected = (typeof ifConnectedModes)[number]

export const defaultIfConnected: IfConnected = 'relink'
