export type AuthorizationOutcome = { accessType: unknown; consentGivenNow: boolean }

/**
 * Whether the code may become a refresh token. As at Google: it must have been asked for, and it comes only with a
 * consent that the user gave just now. A returning user is approved without a page, and then there is none.
 */
export const earnsRefreshToken = ({ accessType, consentGivenNow }: AuthorizationOutcome): boolean =>
  accessType === 'offline' && consentGivenNow
