"""The commands of `trn`: arguments and help here, the work in the modules beside this package."""
