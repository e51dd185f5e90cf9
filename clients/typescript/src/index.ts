export { ApiError, ErrorValue } from './api-error.ts';
export type { Changes, ChangesQuery } from './changes.ts';
export type { Conditions, Options, RequestOptions } from './connection.ts';
export type {
  NewPlant,
  Plant,
  PlantChange,
  PlantDelivery,
  PlantPatch,
  PlantResult,
  StoredPlant,
} from './contract.ts';
export { PlantStore } from './plant-store.ts';
export type {
  PageQuery,
  PlantFilter,
  PlantImportResult,
  PlantOperation,
  PlantPage,
  Plants,
  PlantVersion,
  PutPlantResult,
} from './plants.ts';
export { verifyWebhook, WebhookError, type WebhookRequest } from './webhook.ts';
