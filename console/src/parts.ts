// What the list of plants does without, as a file of its own.
export { ActivityView } from './activity/activity-view.tsx';
export { OverviewView } from './overview/overview-view.tsx';
export { DeletePlants, TagPlants } from './plants/change/change-plants.tsx';
export { EditPlant } from './plants/change/edit-plant.tsx';
export { TokensView } from './tokens/tokens-view.tsx';
export { TransferView } from './transfer/transfer-view.tsx';
export { WebhooksView } from './webhooks/webhooks-view.tsx';
