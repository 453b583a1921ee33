import { profile } from './profile.ts'

/** Refresh tokens come only when token rotation is turned on for the Slack app. */
export const slack = profile({
  id: 'slack',
  displayName: 'Slack',
  description: 'Read channels and post messages.',
  endpoints: {
    authorization: 'https://slack.com/oauth/v2/authorize',
    token: 'https://slack.com/api/oauth.v2.access',
  },
  scopes: [
    { name: 'channels:read', description: 'See the public channels of the workspace' },
    { name: 'channels:history', description: 'Read messages in public channels it is added to' },
    { name: 'chat:write', description: 'Post messages as the app' },
  ],
  scopeSeparator: ',',
  forceConsentParameters: {},
  account: { from: 'token_response', id: 'team.id', label: 'team.name' },
  rotatesRefreshTokens: true,
  otherAccountParameters: {},
  health: { by: 'function', tool: 'list_channels', arguments: { limit: 1 } },
  tokenAnswer: { successMember: 'ok', anyTokenType: true },
})
