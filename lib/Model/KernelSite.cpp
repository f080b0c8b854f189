// Model/KernelSite
