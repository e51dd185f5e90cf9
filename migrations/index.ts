/** Every migration, sorted by name. They run in the order of their timestamps, and nothing else defines the schema. */
export { CreateAccessTokens1763700000001 } from './1763700000001-create-access-tokens.js';
export { CreatePlants1763700000000 } from './1763700000000-create-plants.js';
export { CreateWebhookDeliveries1763700000008 } from './1763700000008-create-webhook-deliveries.js';
export { CreateWebhooks1763700000005 } from './1763700000005-create-webhooks.js';
export { IndexPlants1763700000002 } from './1763700000002-index-plants.js';
export { NoteTokenMakers1763700000009 } from './1763700000009-note-token-makers.js';
export { NoteTokenUse1763700000004 } from './1763700000004-note-token-use.js';
export { NoteWebhookForm1763700000007 } from './1763700000007-note-webhook-form.js';
export { NoteWebhookMaker1763700000006 } from './1763700000006-note-webhook-maker.js';
export { OrderPlants1763700000003 } from './1763700000003-order-plants.js';
